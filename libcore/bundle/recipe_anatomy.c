/* What is known of muscles by their names: how long a belly is for its fibres, and how models call
 * it.
 *
 * Ratios of fibre to belly length and belly lengths are those of cadavers:
 * - S. Ward, C. Eng, L. Smallwood, R. Lieber, Clin. Orthop. Relat. Res. 467 (2009) 1074, 21 legs.
 * - T. Wickiewicz, R. Roy, P. Powell, V. Edgerton, Clin. Orthop. Relat. Res. 179 (1983) 275.
 * - R. Lieber, B. Fazeli, M. Botte, J. Hand Surg. 15A (1990) 244: the wrist's movers.
 * - R. Lieber, M. Jacobson, B. Fazeli, R. Abrams, M. Botte, J. Hand Surg. 17A (1992) 787.
 * - W. Murray, T. Buchanan, S. Delp, J. Biomech. 33 (2000) 943: the elbow's movers.
 * They were taken from transcriptions and memory of these papers, not from their print; Ward's
 * agree with the masses and areas of the same table. Whole muscles of several heads have the heads'
 * mean. Rows of ESTIMATE are guesses after the arrangement of the fibres (parallel, fan-shaped,
 * pennate). Where a belly lies between its tendons, and the part of the path left to the soleus'
 * tendon, are estimates after descriptive anatomy as well. */
#include <ctype.h>
#include <string.h>

#include "libcore/bundle/recipe_internal.h"

#define WARD "Ward and others 2009"
#define WICKIEWICZ "Wickiewicz and others 1983"
#define LIEBER_1990 "Lieber and others 1990"
#define LIEBER_1992 "Lieber and others 1992"
#define MURRAY "Murray and others 2000"
#define ESTIMATE "an estimate by the arrangement of fibres"
#define NOTHING NULL
#define LEG FB_LIMB_LEG
#define ARM FB_LIMB_ARM
#define TRUNK FB_LIMB_TRUNK

/* muscle, head, limb, ratio, belly length in m, proximal part of the tendon, most of the path,
 * source, names */
/* clang-format off */
static const fb_anatomy anatomies[] = {
    {"psoas major", NULL, LEG, 0.5, 0.2425, 0.15, 0.95, WARD, "psoas psoasmajor ps"},
    {"iliacus", NULL, LEG, 0.53, 0.2061, 0.05, 0.95, WARD, "iliacus iliac"},
    {"iliopsoas", NULL, LEG, 0.51, 0.224, 0.1, 0.95, WARD, "iliopsoas"},
    {"gluteus maximus", NULL, LEG, 0.62, 0.2695, 0.1, 0.95, WARD, "glutmax glmax gmax glutmaximus gluteusmaximus gluteusmax"},
    {"gluteus medius", NULL, LEG, 0.37, 0.1999, 0.1, 0.95, WARD, "glutmed glmed gmed glutmedius gluteusmedius gluteusmed"},
    {"gluteus minimus", NULL, LEG, 0.6, 0, 0.1, 0.95, ESTIMATE, "glutmin glmin gmin glutminimus gluteusminimus gluteusmin"},
    {"sartorius", NULL, LEG, 0.9, 0.4481, 0.3, 0.95, WARD, "sar sart sartorius"},
    {"rectus femoris", NULL, LEG, 0.21, 0.3628, 0.4, 0.95, WARD, "rectfem recfem rectusfem rectusfemoris rf"},
    {"vastus lateralis", NULL, LEG, 0.38, 0.2734, 0.1, 0.95, WARD, "vaslat vastuslat vastuslateralis vl"},
    {"vastus intermedius", NULL, LEG, 0.24, 0.412, 0.1, 0.95, WARD, "vasint vastusint vastusintermedius vi"},
    {"vastus medialis", NULL, LEG, 0.22, 0.439, 0.1, 0.95, WARD, "vasmed vastusmed vastusmedialis vm"},
    {"vasti", NULL, LEG, 0.3, 0, 0.1, 0.95, WARD, "vasti vas"},
    {"gracilis", NULL, LEG, 0.79, 0.2869, 0.1, 0.95, WARD, "grac gra gracilis"},
    {"adductor longus", NULL, LEG, 0.5, 0.2184, 0.3, 0.95, WARD, "addlong addlongus adductorlongus"},
    {"adductor brevis", NULL, LEG, 0.68, 0.1539, 0.3, 0.95, WARD, "addbrev addbrevis adductorbrevis"},
    {"adductor magnus", NULL, LEG, 0.39, 0.379, 0.2, 0.95, WARD, "addmag amag addmagnus adductormagnus"},
    {"hamstrings", NULL, LEG, 0.26, 0.32, 0.5, 0.95, WARD, "hamstrings hams ham"},
    {"biceps femoris", "long head", LEG, 0.28, 0.3473, 0.5, 0.95, WARD, "bifemlh bflh bicepsfemorislonghead bicepsfemoriscaputlongum bflong"},
    {"biceps femoris", "short head", LEG, 0.49, 0.2239, 0.1, 0.95, WARD, "bifemsh bfsh bicepsfemorisshorthead bicepsfemoriscaputbreve bfshort"},
    {"semitendinosus", NULL, LEG, 0.65, 0.2967, 0.1, 0.95, WARD, "semiten semitendinosus"},
    {"semimembranosus", NULL, LEG, 0.24, 0.2934, 0.6, 0.95, WARD, "semimem semimembranosus"},
    {"tensor fasciae latae", NULL, LEG, 0.8, 0, 0.02, 0.95, ESTIMATE, "tfl tensorfasciaelatae tensorfascialatae"},
    {"pectineus", NULL, LEG, 0.8, 0, 0.3, 0.95, ESTIMATE, "pect pectineus"},
    {"quadratus femoris", NULL, LEG, 0.9, 0, 0.5, 0.95, ESTIMATE, "quadfem quadratusfemoris"},
    {"gemelli", NULL, LEG, 0.7, 0, 0.3, 0.95, ESTIMATE, "gem glem gemelli gemellus"},
    {"piriformis", NULL, LEG, 0.4, 0, 0.2, 0.95, ESTIMATE, "peri piri piriformis"},
    {"tibialis anterior", NULL, LEG, 0.27, 0.2598, 0.05, 0.95, WARD, "tibant tibialisanterior ta"},
    {"extensor hallucis longus", NULL, LEG, 0.31, 0.2425, 0.1, 0.95, WARD, "exthal ehl extensorhallucislongus"},
    {"extensor digitorum longus", NULL, LEG, 0.24, 0.29, 0.05, 0.95, WARD, "extdig edl extensordigitorumlongus"},
    {"peroneus longus", NULL, LEG, 0.19, 0.2708, 0.02, 0.95, WARD, "perlong peroneuslongus fibularislongus"},
    {"peroneus brevis", NULL, LEG, 0.19, 0.2375, 0.05, 0.95, WARD, "perbrev peroneusbrevis fibularisbrevis"},
    {"peroneus tertius", NULL, LEG, 0.4, 0, 0.1, 0.95, ESTIMATE, "pertert peroneustertius fibularistertius"},
    {"gastrocnemius", "medial head", LEG, 0.19, 0.2694, 0.05, 0.95, WARD, "medgas gasmed gastrocmed gastrocnemiusmedialis gastrocnemiusmedialhead medgastroc"},
    {"gastrocnemius", "lateral head", LEG, 0.27, 0.2235, 0.05, 0.95, WARD, "latgas gaslat gastroclat gastrocnemiuslateralis gastrocnemiuslateralhead latgastroc"},
    {"gastrocnemius", NULL, LEG, 0.22, 0.246, 0.05, 0.95, WARD, "gastroc gastrocnemius gas"},
    {"soleus", NULL, LEG, 0.11, 0.4054, 0.1, 0.85, WARD, "soleus sol"},
    {"plantaris", NULL, LEG, 0.46, 0.085, 0.02, 0.95, WICKIEWICZ, "plantaris"},
    {"flexor hallucis longus", NULL, LEG, 0.2, 0.2688, 0.05, 0.95, WARD, "flexhal fhl flexorhallucislongus"},
    {"flexor digitorum longus", NULL, LEG, 0.16, 0.2733, 0.05, 0.95, WARD, "flexdig fdl flexordigitorumlongus"},
    {"tibialis posterior", NULL, LEG, 0.12, 0.3103, 0.05, 0.95, WARD, "tibpost tpost tibialisposterior"},
    {"erector spinae", NULL, TRUNK, 0.4, 0, 0.5, 0.95, ESTIMATE, "ercspn erectorspinae"},
    {"internal oblique", NULL, TRUNK, 0.8, 0, 0.5, 0.95, ESTIMATE, "intobl internaloblique obliquusinternus io"},
    {"external oblique", NULL, TRUNK, 0.8, 0, 0.5, 0.95, ESTIMATE, "extobl externaloblique obliquusexternus eo"},
    {"rectus abdominis", NULL, TRUNK, 0, 0, 0.5, 0.95, NOTHING, "rectabd rectusabdominis"},
    {"multifidus", NULL, TRUNK, 0, 0, 0.5, 0.95, NOTHING, "mf multifidus"},
    {"quadratus lumborum", NULL, TRUNK, 0, 0, 0.5, 0.95, NOTHING, "ql quadratuslumborum"},
    {"iliocostalis", NULL, TRUNK, 0, 0, 0.5, 0.95, NOTHING, "il iliocostalis"},
    {"longissimus thoracis", "thoracic", TRUNK, 0, 0, 0.5, 0.95, NOTHING, "ltpt"},
    {"longissimus thoracis", "lumbar", TRUNK, 0, 0, 0.5, 0.95, NOTHING, "ltpl"},
    {"trapezius", NULL, ARM, 0, 0, 0.5, 0.95, NOTHING, "trapezius trap"},
    {"serratus anterior", NULL, ARM, 0, 0, 0.5, 0.95, NOTHING, "serratusanterior serrant"},
    {"rhomboids", NULL, ARM, 0, 0, 0.5, 0.95, NOTHING, "rhomboideus rhomboids rhomboid"},
    {"levator scapulae", NULL, ARM, 0, 0, 0.5, 0.95, NOTHING, "levatorscapulae"},
    {"pectoralis minor", NULL, ARM, 0, 0, 0.2, 0.95, NOTHING, "pectoralisminor pecmin"},
    {"latissimus dorsi", NULL, ARM, 0, 0, 0.5, 0.95, NOTHING, "lat latissimusdorsi latissimus ld"},
    {"teres major", NULL, ARM, 0, 0, 0.2, 0.95, NOTHING, "tmaj teresmajor"},
    {"teres minor", NULL, ARM, 0, 0, 0.2, 0.95, NOTHING, "tmin teresminor"},
    {"supraspinatus", NULL, ARM, 0, 0, 0.1, 0.95, NOTHING, "supsp supraspinatus"},
    {"infraspinatus", NULL, ARM, 0, 0, 0.1, 0.95, NOTHING, "infsp infraspinatus"},
    {"subscapularis", NULL, ARM, 0, 0, 0.1, 0.95, NOTHING, "subsc subscapularis"},
    {"deltoid", "anterior", ARM, 0.6, 0, 0.1, 0.95, ESTIMATE, "delt1 deltant deltoidanterior deltoideusclavicle anteriordeltoid"},
    {"deltoid", "middle", ARM, 0.45, 0, 0.1, 0.95, ESTIMATE, "delt2 deltmid deltoidmiddle middledeltoid deltoideusscapulam"},
    {"deltoid", "posterior", ARM, 0.7, 0, 0.1, 0.95, ESTIMATE, "delt3 deltpost deltoidposterior posteriordeltoid deltoideusscapulap"},
    {"deltoid", NULL, ARM, 0.55, 0, 0.1, 0.95, ESTIMATE, "delt deltoid deltoideus deltoideusscapula"},
    {"pectoralis major", "clavicular", ARM, 0.8, 0, 0.1, 0.95, ESTIMATE, "pecm1 pectoralismajorclavicle pectoralismajorclavicular"},
    {"pectoralis major", "sternal", ARM, 0.75, 0, 0.1, 0.95, ESTIMATE, "pecm2 pectoralismajorthorax pectoralismajorsternal"},
    {"pectoralis major", "ribs", ARM, 0.75, 0, 0.1, 0.95, ESTIMATE, "pecm3"},
    {"pectoralis major", NULL, ARM, 0.75, 0, 0.1, 0.95, ESTIMATE, "pecm pectoralismajor"},
    {"coracobrachialis", NULL, ARM, 0.6, 0, 0.3, 0.95, ESTIMATE, "corb coracobrachialis"},
    {"biceps brachii", "long head", ARM, 0.59, 0.216, 0.6, 0.95, MURRAY, "biclong bicepslong bicepsbrachiilonghead bicepslonghead"},
    {"biceps brachii", "short head", ARM, 0.62, 0.232, 0.4, 0.95, MURRAY, "bicshort bicepsshort bicepsbrachiishorthead bicepsshorthead bicbrevis"},
    {"biceps brachii", NULL, ARM, 0.6, 0.224, 0.5, 0.95, MURRAY, "bic biceps bicepsbrachii"},
    {"brachialis", NULL, ARM, 0.53, 0.186, 0.1, 0.95, MURRAY, "bra brachialis brach"},
    {"triceps brachii", "long head", ARM, 0.52, 0.246, 0.1, 0.95, MURRAY, "trilong tricepslong tricepsbrachiilonghead tricepslonghead"},
    {"triceps brachii", "lateral head", ARM, 0.46, 0.204, 0.1, 0.95, MURRAY, "trilat tricepslat tricepslateral tricepsbrachiilateralhead tricepslateralhead"},
    {"triceps brachii", "medial head", ARM, 0.37, 0.169, 0.1, 0.95, MURRAY, "trimed tricepsmed tricepsmedial tricepsbrachiimedialhead tricepsmedialhead"},
    {"triceps brachii", NULL, ARM, 0.46, 0.206, 0.1, 0.95, MURRAY, "tri triceps tricepsbrachii"},
    {"anconeus", NULL, ARM, 0.45, 0, 0.3, 0.95, ESTIMATE, "anc anconeus"},
    {"brachioradialis", NULL, ARM, 0.88, 0.201, 0.05, 0.95, MURRAY, "brd brachioradialis"},
    {"supinator", NULL, ARM, 0.6, 0, 0.3, 0.95, ESTIMATE, "sup supinator"},
    {"pronator teres", NULL, ARM, 0.36, 0.152, 0.1, 0.95, MURRAY, "pt pronatorteres pronteres"},
    {"pronator quadratus", NULL, ARM, 0.59, 0.0393, 0.5, 0.95, LIEBER_1992, "pq pronatorquadratus pronquad"},
    {"extensor carpi radialis longus", NULL, ARM, 0.7, 0.141, 0.02, 0.95, MURRAY, "ecrl extensorcarpiradialislongus"},
    {"extensor carpi radialis brevis", NULL, ARM, 0.38, 0.127, 0.1, 0.95, LIEBER_1990, "ecrb extensorcarpiradialisbrevis"},
    {"extensor carpi ulnaris", NULL, ARM, 0.25, 0.208, 0.1, 0.95, LIEBER_1990, "ecu extensorcarpiulnaris"},
    {"flexor carpi radialis", NULL, ARM, 0.26, 0.193, 0.1, 0.95, LIEBER_1990, "fcr flexorcarpiradialis"},
    {"flexor carpi ulnaris", NULL, ARM, 0.19, 0.221, 0.1, 0.95, LIEBER_1990, "fcu flexorcarpiulnaris"},
    {"palmaris longus", NULL, ARM, 0.39, 0.134, 0.1, 0.95, LIEBER_1992, "pl palmarislongus"},
    {"flexor digitorum superficialis", "index", ARM, 0.33, 0.207, 0.1, 0.95, LIEBER_1992, "fdsi"},
    {"flexor digitorum superficialis", "middle", ARM, 0.33, 0.183, 0.1, 0.95, LIEBER_1992, "fdsm"},
    {"flexor digitorum superficialis", "ring", ARM, 0.39, 0.155, 0.1, 0.95, LIEBER_1992, "fdsr"},
    {"flexor digitorum superficialis", "little", ARM, 0.41, 0.103, 0.1, 0.95, LIEBER_1992, "fdsl"},
    {"flexor digitorum superficialis", NULL, ARM, 0.36, 0.162, 0.1, 0.95, LIEBER_1992, "fds flexordigitorumsuperficialis"},
    {"flexor digitorum profundus", "index", ARM, 0.41, 0.149, 0.05, 0.95, LIEBER_1992, "fdpi"},
    {"flexor digitorum profundus", "middle", ARM, 0.34, 0.2, 0.05, 0.95, LIEBER_1992, "fdpm"},
    {"flexor digitorum profundus", "ring", ARM, 0.33, 0.194, 0.05, 0.95, LIEBER_1992, "fdpr"},
    {"flexor digitorum profundus", "little", ARM, 0.4, 0.15, 0.05, 0.95, LIEBER_1992, "fdpl"},
    {"flexor digitorum profundus", NULL, ARM, 0.37, 0.173, 0.05, 0.95, LIEBER_1992, "fdp flexordigitorumprofundus"},
    {"flexor pollicis longus", NULL, ARM, 0.27, 0.168, 0.05, 0.95, LIEBER_1992, "fpl flexorpollicislongus"},
    {"extensor digitorum", "index", ARM, 0.5, 0.114, 0.1, 0.95, LIEBER_1992, "edci"},
    {"extensor digitorum", "middle", ARM, 0.53, 0.112, 0.1, 0.95, LIEBER_1992, "edcm"},
    {"extensor digitorum", "ring", ARM, 0.41, 0.125, 0.1, 0.95, LIEBER_1992, "edcr"},
    {"extensor digitorum", "little", ARM, 0.44, 0.121, 0.1, 0.95, LIEBER_1992, "edcl"},
    {"extensor digitorum", NULL, ARM, 0.47, 0.118, 0.1, 0.95, LIEBER_1992, "edc extensordigitorum extensordigitorumcommunis"},
    {"extensor digiti minimi", NULL, ARM, 0.36, 0.152, 0.1, 0.95, LIEBER_1992, "edm extensordigitiminimi"},
    {"extensor indicis proprius", NULL, ARM, 0.46, 0.105, 0.05, 0.95, LIEBER_1992, "eip extensorindicis extensorindicisproprius"},
    {"extensor pollicis longus", NULL, ARM, 0.32, 0.138, 0.05, 0.95, LIEBER_1992, "epl extensorpollicislongus"},
    {"abductor pollicis longus", NULL, ARM, 0.45, 0, 0.05, 0.95, ESTIMATE, "apl abductorpollicislongus"},
    {"extensor pollicis brevis", NULL, ARM, 0.5, 0, 0.05, 0.95, ESTIMATE, "epb extensorpollicisbrevis"},
};
/* clang-format on */
#define N_ANATOMIES ((int)(sizeof anatomies / sizeof *anatomies))

/* Words that tell heads and parts of one muscle apart. */
static const char *const head_words[] = {
    "long",     "longus",     "short",     "brevis",   "breve",       "brev",     "lat",
    "lateral",  "med",        "medial",    "mid",      "middle",      "ant",      "anterior",
    "post",     "posterior",  "sup",       "superior", "inf",         "inferior", "prox",
    "pros",     "proximal",   "dist",      "distal",   "head",        "caput",    "clav",
    "clavicle", "scap",       "scapula",   "acromial", "thorax",      "sternal",  "costal",
    "ribs",     "upper",      "lower",     "deep",     "superficial", "isch",     "ischial",
    "ii",       "iii",        "laminar",   "tp",       "vb",          "ivd",      "part",
    "thoracic", "lumbar",     "lateralis", "medialis", "clavicular",  "index",    "ring",
    "little",   "proximalis", "distalis",  "mediale",  "laterale",    "longum",
};

static bool is_head_word(const char *token) {
    if (!token[1] || isdigit((unsigned char)*token)) { /* one letter, or a number */
        return true;
    }
    for (size_t i = 0; i < sizeof head_words / sizeof *head_words; i++) {
        if (strcmp(token, head_words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* A word in a list that is parted by blanks. */
static bool holds(const char *list, const char *word) {
    size_t n = strlen(word);
    for (const char *p = list; (p = strstr(p, word)); p += n) {
        if ((p == list || p[-1] == ' ') && (p[n] == ' ' || !p[n])) {
            return true;
        }
    }
    return false;
}

/* True if a token ends between the letters at i - 1 and i. */
static bool breaks(const char *text, size_t i) {
    unsigned char before = (unsigned char)text[i - 1], here = (unsigned char)text[i];
    if (!isalnum(before) || !isalnum(here)) {
        return true;
    }
    if (!isdigit(before) != !isdigit(here)) {
        return true;
    }
    if (islower(before) && isupper(here)) { /* addmagDist */
        return true;
    }
    /* BIClong: after three capitals or more */
    return i >= 3 && islower(here) && isupper(before) && isupper((unsigned char)text[i - 2]) &&
           isupper((unsigned char)text[i - 3]);
}

static void split(fb_line_name *name, const char *text) {
    int letters = 0;
    for (size_t i = 0; text[i]; i++) {
        if (i && letters && breaks(text, i)) {
            name->n++;
            letters = 0;
        }
        if (name->n == FB_NAME_TOKENS) {
            return;
        }
        if (isalnum((unsigned char)text[i]) && letters < FB_NAME_LETTERS) {
            name->tokens[name->n][letters++] = (char)tolower((unsigned char)text[i]);
        }
    }
    name->n += letters > 0;
}

static void drop_first(fb_line_name *name) {
    memmove(name->tokens[0], name->tokens[1], (size_t)(name->n - 1) * sizeof name->tokens[0]);
    memset(name->tokens[--name->n], 0, sizeof name->tokens[0]);
}

static char side_of(const char *token) {
    static const char *const left[] = {"l", "left", "lt"}, *const right[] = {"r", "right", "rt"};
    for (int i = 0; i < 3; i++) {
        if (strcmp(token, left[i]) == 0) {
            return 'l';
        }
        if (strcmp(token, right[i]) == 0) {
            return 'r';
        }
    }
    return 0;
}

/* The row for the longest beginning of a name, of which *used tokens. */
static const fb_anatomy *look_up(const fb_line_name *name, int *used) {
    for (int n = name->n; n > 0; n--) {
        char joined[FB_NAME_TOKENS * FB_NAME_LETTERS + 1] = "";
        for (int i = 0; i < n; i++) {
            strcat(joined, name->tokens[i]);
        }
        for (int i = 0; i < N_ANATOMIES; i++) {
            if (holds(anatomies[i].names, joined)) {
                *used = n;
                return &anatomies[i];
            }
        }
    }
    return NULL;
}

void fb_line_name_parse(fb_line_name *name, const char *text, char side) {
    memset(name, 0, sizeof *name);
    split(name, text + (side == 'l' && (*text == 'l' || *text == 'L')));
    name->side = side;
    if (!side && name->n > 1) {
        name->side = side_of(name->tokens[name->n - 1]);
        if (name->side) {
            memset(name->tokens[--name->n], 0, sizeof name->tokens[0]);
        } else if ((name->side = side_of(name->tokens[0]))) {
            drop_first(name);
        }
    }
    for (name->stem = name->n; name->stem > 1 && is_head_word(name->tokens[name->stem - 1]);) {
        name->stem--;
    }
    int used = 0;
    name->anatomy = look_up(name, &used);
    name->known = name->anatomy != NULL;
    for (int i = used; i < name->n; i++) {
        name->known &= is_head_word(name->tokens[i]);
    }
}

bool fb_line_name_same(const fb_line_name *a, const fb_line_name *b) {
    if (a->side != b->side || a->known != b->known) {
        return false;
    }
    if (a->known) {
        return strcmp(a->anatomy->muscle, b->anatomy->muscle) == 0;
    }
    if (a->stem != b->stem || a->n == 0 || strlen(a->tokens[0]) < 2 ||
        (a->stem == a->n && b->stem == b->n)) {
        return false;
    }
    for (int i = 0; i < a->stem; i++) {
        if (strcmp(a->tokens[i], b->tokens[i]) != 0) {
            return false;
        }
    }
    return true;
}

bool fb_anatomy_is(const fb_anatomy *anatomy, const char *text) {
    const char *p = anatomy->muscle;
    for (; *p && *text; p++, text++) {
        bool same = tolower((unsigned char)*text) == *p ||
                    (*p == ' ' && (*text == '_' || *text == '-'));
        if (!same) {
            return false;
        }
    }
    return !*p && !*text;
}
