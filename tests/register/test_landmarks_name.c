#include "libcore/register/landmarks.h"
#include "tests/help.h"

static void names_in_the_wild_say_bone_and_side(void) {
    static const struct {
        const char *name;
        fb_bone_kind kind;
        char side;
    } cases[] = {
        {"femur_r", FB_BONE_FEMUR, 'r'},
        {"tibia_l", FB_BONE_TIBIA, 'l'},
        {"calcn_r", FB_BONE_CALCANEUS, 'r'},
        {"talus_l", FB_BONE_TALUS, 'l'},
        {"patella_r", FB_BONE_PATELLA, 'r'},
        {"toes_r", FB_BONE_TOES, 'r'},
        {"pelvis", FB_BONE_PELVIS, 0},
        {"sacrum", FB_BONE_SACRUM, 0},
        {"torso", FB_BONE_TRUNK, 0},
        {"humerus_r", FB_BONE_HUMERUS, 'r'},
        {"ulna_r", FB_BONE_ULNA, 'r'},
        {"radius_l", FB_BONE_RADIUS, 'l'},
        {"hand_r", FB_BONE_HAND, 'r'},
        {"scapula", FB_BONE_SCAPULA, 0},
        {"clavicle", FB_BONE_CLAVICLE, 0},
        {"R_Femur", FB_BONE_FEMUR, 'r'},
        {"Femur right", FB_BONE_FEMUR, 'r'},
        {"RFemur.obj", FB_BONE_FEMUR, 'r'},
        {"femurL.ply", FB_BONE_FEMUR, 'l'},
        {"scans/l/R_Femur_final.stl", FB_BONE_FEMUR, 'r'},
        {"c:\\scans\\left\\femur.v2.stl", FB_BONE_FEMUR, 0},
        {"hip_r", FB_BONE_HEMIPELVIS, 'r'},
        {"l_pelvis", FB_BONE_HEMIPELVIS, 'l'},
        {"innominate", FB_BONE_HEMIPELVIS, 0},
        {"os_coxae_dexter", FB_BONE_HEMIPELVIS, 'r'},
        {"os coxae sinistrum", FB_BONE_HEMIPELVIS, 'l'},
        {"pelvis_no_sacrum", FB_BONE_PELVIS, 0},
        {"Right_Tibia_Fibula.stl", FB_BONE_TIBIA, 'r'},
        {"LeftFoot", FB_BONE_FOOT, 'l'},
        {"metatarsal1_rv", FB_BONE_UNKNOWN, 'r'},
        {"phalanx_foot_l", FB_BONE_UNKNOWN, 'l'},
        {"block", FB_BONE_UNKNOWN, 0},
        {"", FB_BONE_UNKNOWN, 0},
        {"femur_left_right", FB_BONE_FEMUR, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        fb_bone_guess guess = fb_bone_by_name(cases[i].name);
        FB_TRUE(guess.kind == cases[i].kind && guess.side == cases[i].side,
                "'%s' is a %s '%c', not a %s '%c'", cases[i].name, fb_bone_word(guess.kind),
                guess.side != 0 ? guess.side : '-', fb_bone_word(cases[i].kind),
                cases[i].side != 0 ? cases[i].side : '-');
        FB_EQUAL_INT(guess.by_name, cases[i].kind != FB_BONE_UNKNOWN);
    }
}

static void names_of_two_bones_are_not_certain(void) {
    fb_bone_guess guess = fb_bone_by_name("femur_patella_r");
    FB_NEAR(guess.certainty, 1, 0, 0);
    FB_EQUAL_INT(guess.second, FB_BONE_PATELLA);
}

int main(int argc, char **argv) {
    const fb_test tests[] = {FB_TEST(names_in_the_wild_say_bone_and_side),
                             FB_TEST(names_of_two_bones_are_not_certain), FB_TEST_END};
    return fb_test_main("landmarks_name", tests, argc, argv);
}
