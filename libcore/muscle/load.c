#include "libcore/muscle/load.h"

static void vector_at(const fb_load *load, int i, double time, double *v) {
    for (int k = 0; k < 3; k++) {
        v[k] = load->given[i] ? fb_function_value(&load->functions[3 * i + k], time, NULL, NULL)
                              : 0;
    }
}

static void ground_direction(const fb_load *load, const fb_state *state, double *v) {
    double in_body[3];
    fb_m3_mul_v3(in_body, load->force_frame.R, v);
    fb_m3_mul_v3(v, state->pose[load->force_body].R, in_body);
}

void fb_loads_apply(const fb_loads *loads, const fb_state *state, double time,
                    double (*external)[6]) {
    for (int i = 0; i < loads->n; i++) {
        const fb_load *load = &loads->loads[i];
        double force[3], point[3], torque[3], in_body[3], moment[3], *to = external[load->body];
        vector_at(load, 0, time, force);
        vector_at(load, 1, time, point);
        vector_at(load, 2, time, torque);
        ground_direction(load, state, force);
        ground_direction(load, state, torque);
        if (load->given[1]) {
            fb_pose_point(in_body, &load->point_frame, point);
            fb_pose_point(point, &state->pose[load->point_body], in_body);
        } else {
            fb_pose_point(point, &state->pose[load->body], load->frame.p);
        }
        fb_v3_cross(moment, point, force);
        fb_v3_add(to, to, moment);
        fb_v3_add(to, to, torque);
        fb_v3_add(to + 3, to + 3, force);
    }
}

void fb_load_at(const fb_load *load, const fb_state *state, double time, double *force,
                double *point, double *torque) {
    double at[3], in_body[3], from_origin[3];
    vector_at(load, 0, time, force);
    vector_at(load, 1, time, at);
    vector_at(load, 2, time, torque);
    ground_direction(load, state, force);
    ground_direction(load, state, torque);
    if (!load->given[1]) {
        fb_v3_copy(point, load->frame.p);
        return;
    }
    fb_pose_point(in_body, &load->point_frame, at);
    fb_pose_point(at, &state->pose[load->point_body], in_body);
    fb_v3_sub(from_origin, at, state->pose[load->body].p);
    const double *R = state->pose[load->body].R;
    for (int k = 0; k < 3; k++) {
        point[k] = R[k] * from_origin[0] + R[3 + k] * from_origin[1] + R[6 + k] * from_origin[2];
    }
}
