/* Bones by their names: the words of OpenSim's bodies and mesh files, of scans and of anatomy. */
#include "libcore/register/landmarks.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

static const char *const kinds[FB_BONE_KIND_COUNT] = {
    [FB_BONE_UNKNOWN] = "unknown",     [FB_BONE_PELVIS] = "pelvis",
    [FB_BONE_HEMIPELVIS] = "hip bone", [FB_BONE_SACRUM] = "sacrum",
    [FB_BONE_FEMUR] = "femur",         [FB_BONE_TIBIA] = "tibia",
    [FB_BONE_FIBULA] = "fibula",       [FB_BONE_PATELLA] = "patella",
    [FB_BONE_TALUS] = "talus",         [FB_BONE_CALCANEUS] = "calcaneus",
    [FB_BONE_FOOT] = "foot",           [FB_BONE_TOES] = "toes",
    [FB_BONE_CLAVICLE] = "clavicle",   [FB_BONE_SCAPULA] = "scapula",
    [FB_BONE_HUMERUS] = "humerus",     [FB_BONE_ULNA] = "ulna",
    [FB_BONE_RADIUS] = "radius",       [FB_BONE_HAND] = "hand",
    [FB_BONE_TRUNK] = "trunk",
};

const char *fb_bone_word(fb_bone_kind kind) {
    return kind < FB_BONE_KIND_COUNT ? kinds[kind] : kinds[FB_BONE_UNKNOWN];
}

static const struct {
    const char *word;
    fb_bone_kind kind;
} words[] = {
    {"pelvis", FB_BONE_PELVIS},
    {"pelves", FB_BONE_PELVIS},
    {"pelvic", FB_BONE_PELVIS},
    {"hemipelvis", FB_BONE_HEMIPELVIS},
    {"hip", FB_BONE_HEMIPELVIS},
    {"hips", FB_BONE_PELVIS},
    {"hipbone", FB_BONE_HEMIPELVIS},
    {"innominate", FB_BONE_HEMIPELVIS},
    {"innominatum", FB_BONE_HEMIPELVIS},
    {"coxa", FB_BONE_HEMIPELVIS},
    {"coxae", FB_BONE_HEMIPELVIS},
    {"coxal", FB_BONE_HEMIPELVIS},
    {"sacrum", FB_BONE_SACRUM},
    {"sacrumv", FB_BONE_SACRUM},
    {"sacral", FB_BONE_SACRUM},
    {"femur", FB_BONE_FEMUR},
    {"femoral", FB_BONE_FEMUR},
    {"femoris", FB_BONE_FEMUR},
    {"thigh", FB_BONE_FEMUR},
    {"tibia", FB_BONE_TIBIA},
    {"tibial", FB_BONE_TIBIA},
    {"tibfib", FB_BONE_TIBIA},
    {"tibiafibula", FB_BONE_TIBIA},
    {"shank", FB_BONE_TIBIA},
    {"shin", FB_BONE_TIBIA},
    {"crus", FB_BONE_TIBIA},
    {"fibula", FB_BONE_FIBULA},
    {"fibular", FB_BONE_FIBULA},
    {"patella", FB_BONE_PATELLA},
    {"patellar", FB_BONE_PATELLA},
    {"pat", FB_BONE_PATELLA},
    {"kneecap", FB_BONE_PATELLA},
    {"talus", FB_BONE_TALUS},
    {"tali", FB_BONE_TALUS},
    {"astragalus", FB_BONE_TALUS},
    {"calcn", FB_BONE_CALCANEUS},
    {"calcaneus", FB_BONE_CALCANEUS},
    {"calcaneum", FB_BONE_CALCANEUS},
    {"calcaneous", FB_BONE_CALCANEUS},
    {"calcaneal", FB_BONE_CALCANEUS},
    {"calc", FB_BONE_CALCANEUS},
    {"heel", FB_BONE_CALCANEUS},
    {"hindfoot", FB_BONE_CALCANEUS},
    {"foot", FB_BONE_FOOT},
    {"toes", FB_BONE_TOES},
    {"toe", FB_BONE_TOES},
    {"bofoot", FB_BONE_TOES}, /* of the gait models: what lies before the metatarsal heads */
    {"forefoot", FB_BONE_TOES},
    {"clavicle", FB_BONE_CLAVICLE},
    {"clavicula", FB_BONE_CLAVICLE},
    {"clav", FB_BONE_CLAVICLE},
    {"collarbone", FB_BONE_CLAVICLE},
    {"scapula", FB_BONE_SCAPULA},
    {"scap", FB_BONE_SCAPULA},
    {"shoulderblade", FB_BONE_SCAPULA},
    {"humerus", FB_BONE_HUMERUS},
    {"humeral", FB_BONE_HUMERUS},
    {"humeri", FB_BONE_HUMERUS},
    {"hum", FB_BONE_HUMERUS},
    {"upperarm", FB_BONE_HUMERUS},
    {"ulna", FB_BONE_ULNA},
    {"ulnar", FB_BONE_ULNA},
    {"radius", FB_BONE_RADIUS},
    {"radial", FB_BONE_RADIUS},
    {"hand", FB_BONE_HAND},
    {"torso", FB_BONE_TRUNK},
    {"trunk", FB_BONE_TRUNK},
    {"thorax", FB_BONE_TRUNK},
    {"ribcage", FB_BONE_TRUNK},
    {"ribs", FB_BONE_TRUNK},
    {"spine", FB_BONE_TRUNK},
};

/* Words of bones that are none of the kinds, so that "distal_phalanx_foot" is not a foot. */
static const char *const parts[] = {
    "metatarsal", "metacarpal", "phalanx", "phalanges", "phalange", "navicular", "cuboid",
    "cuneiform",  "cartilage",  "muscle",  "ligament",  "meniscus", "tendon",    "implant",
};

/* 'r' or 'l' if a word names a side, else 0. */
static char side_word(const char *word) {
    static const char *const right[] = {"r",       "right",   "rt",  "dexter", "dextra", "dextrum",
                                        "dextral", "dextrae", "dex", "rv",     "rvs",    "rvsm"};
    static const char *const left[] = {"l",        "left",      "lt",        "sinister",
                                       "sinistra", "sinistrum", "sinistral", "sin",
                                       "lv",       "lvs",       "lvsm",      "sinistrae"};
    for (size_t i = 0; i < sizeof right / sizeof *right; i++) {
        if (strcmp(word, right[i]) == 0) {
            return 'r';
        }
    }
    for (size_t i = 0; i < sizeof left / sizeof *left; i++) {
        if (strcmp(word, left[i]) == 0) {
            return 'l';
        }
    }
    return 0;
}

static fb_bone_kind kind_word(const char *word) {
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i].word) == 0) {
            return words[i].kind;
        }
    }
    return FB_BONE_UNKNOWN;
}

static bool part_word(const char *word) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        size_t n = strlen(parts[i]);
        if (strncmp(word, parts[i], n) == 0 && (word[n] == 0 || strcmp(word + n, "s") == 0)) {
            return true;
        }
    }
    return false;
}

/* A side that is written together with a bone's word: "rfemur", "femurr". The bone, or UNKNOWN. */
static fb_bone_kind joined_word(char *word, char *side) {
    size_t n = strlen(word);
    if (n < 5) {
        return FB_BONE_UNKNOWN;
    }
    if (word[0] == 'r' || word[0] == 'l') {
        *side = word[0];
        fb_bone_kind kind = kind_word(word + 1);
        if (kind != FB_BONE_UNKNOWN) {
            return kind;
        }
    }
    static const char *const fronts[] = {"right", "left"};
    for (int i = 0; i < 2; i++) {
        size_t m = strlen(fronts[i]);
        if (strncmp(word, fronts[i], m) == 0 && kind_word(word + m) != FB_BONE_UNKNOWN) {
            *side = fronts[i][0];
            return kind_word(word + m);
        }
        if (n > m && strcmp(word + n - m, fronts[i]) == 0) {
            word[n - m] = 0;
            *side = fronts[i][0];
            return kind_word(word);
        }
    }
    *side = word[n - 1] == 'r' || word[n - 1] == 'l' ? word[n - 1] : 0;
    if (*side != 0) {
        word[n - 1] = 0;
        return kind_word(word);
    }
    return FB_BONE_UNKNOWN;
}

enum { MAX_WORD = 32 };

/* The next word of a name in lower case: letters up to a digit, a sign, or a capital that begins a
 * word ("FemurRight", "RFemur"). Returns where it ends; NULL: no more. */
static const char *next_word(const char *text, const char *end, char *word) {
    while (text < end && !isalpha((unsigned char)*text)) {
        text++;
    }
    if (text >= end) {
        return NULL;
    }
    int n = 0;
    const char *start = text;
    while (text < end && isalpha((unsigned char)*text)) {
        if (text > start && isupper((unsigned char)*text) &&
            (islower((unsigned char)text[-1]) ||
             (text + 1 < end && islower((unsigned char)text[1]) && text - start == 1))) {
            break;
        }
        if (n < MAX_WORD - 1) {
            word[n++] = (char)tolower((unsigned char)*text);
        }
        text++;
    }
    word[n] = 0;
    return text;
}

/* What a second word for a bone makes of the first. */
static fb_bone_kind together(fb_bone_kind a, fb_bone_kind b, bool *doubtful) {
    static const fb_bone_kind sets[][3] = {
        /* with .. and .. it is .. */
        {FB_BONE_TIBIA, FB_BONE_FIBULA, FB_BONE_TIBIA},
        {FB_BONE_PELVIS, FB_BONE_SACRUM, FB_BONE_PELVIS},
        {FB_BONE_PELVIS, FB_BONE_HEMIPELVIS, FB_BONE_HEMIPELVIS},
        {FB_BONE_CALCANEUS, FB_BONE_FOOT, FB_BONE_FOOT},
        {FB_BONE_TOES, FB_BONE_FOOT, FB_BONE_FOOT},
        {FB_BONE_TRUNK, FB_BONE_SCAPULA, FB_BONE_TRUNK},
    };
    if (a == FB_BONE_UNKNOWN || a == b) {
        return b;
    }
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        if ((a == sets[i][0] && b == sets[i][1]) || (b == sets[i][0] && a == sets[i][1])) {
            return sets[i][2];
        }
    }
    *doubtful = true;
    return a;
}

fb_bone_guess fb_bone_by_name(const char *name) {
    fb_bone_guess guess = {FB_BONE_UNKNOWN, 0, 0, FB_BONE_UNKNOWN, false};
    for (const char *p = name; *p != 0; p++) {
        if (*p == '/' || *p == '\\') {
            name = p + 1;
        }
    }
    const char *end = strrchr(name, '.');
    if (end == NULL || end == name) {
        end = name + strlen(name);
    }
    bool negated = false, part = false, doubtful = false, both = false;
    char word[MAX_WORD], side = 0;
    for (const char *at = name; (at = next_word(at, end, word)) != NULL;) {
        if (strcmp(word, "no") == 0 || strcmp(word, "without") == 0) {
            negated = true;
            continue;
        }
        part |= part_word(word);
        char s = side_word(word);
        fb_bone_kind kind = s != 0 ? FB_BONE_UNKNOWN : kind_word(word);
        if (s == 0 && kind == FB_BONE_UNKNOWN) {
            kind = joined_word(word, &s);
            s = kind == FB_BONE_UNKNOWN ? 0 : s;
        }
        if (kind != FB_BONE_UNKNOWN && !negated) {
            fb_bone_kind old = guess.kind;
            guess.kind = together(old, kind, &doubtful);
            guess.second = doubtful && guess.second == FB_BONE_UNKNOWN ? kind : guess.second;
        }
        both |= s != 0 && side != 0 && s != side;
        side = s != 0 ? s : side;
        negated = false;
    }
    guess.side = both ? 0 : side;
    if (part) {
        guess.kind = FB_BONE_UNKNOWN;
    }
    if (guess.kind == FB_BONE_PELVIS && guess.side != 0) {
        guess.kind = FB_BONE_HEMIPELVIS; /* "l_pelvis" */
    }
    if (guess.kind == FB_BONE_SACRUM || guess.kind == FB_BONE_TRUNK) {
        guess.side = 0;
    }
    guess.by_name = guess.kind != FB_BONE_UNKNOWN;
    guess.certainty = !guess.by_name ? 0 : doubtful ? 1 : 10;
    return guess;
}
