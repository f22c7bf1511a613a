/* Meshes and lines of a picture, by OpenGL on EGL without a window. */
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/glcorearb.h>
#include <stdlib.h>
#include <string.h>

#include "tools/scene_parts.h"

#define SAMPLES 4

/* ---- shaders --------------------------------------------------------------------------------- */

/* Two lights that come with the camera, from the upper left and from the right, and what comes
 * from everywhere, more of it from above. */
static const char mesh_vertex[] =
    "#version 330 core\n"
    "layout(location = 0) in vec3 point;\n"
    "layout(location = 1) in vec3 normal;\n"
    "layout(location = 2) in uint colour;\n"
    "layout(location = 3) in uint inner;\n"
    "uniform mat4 project, view;\n"
    "uniform vec4 plane;\n"
    "out vec3 facing;\n"
    "out vec3 base, inner_base;\n"
    "vec3 unpack(uint rgb) {\n"
    "    return vec3(rgb >> 16 & 255u, rgb >> 8 & 255u, rgb & 255u) / 255.0;\n"
    "}\n"
    "void main() {\n"
    "    gl_Position = project * vec4(point, 1.0);\n"
    "    gl_ClipDistance[0] = dot(plane, vec4(point, 1.0));\n"
    "    facing = mat3(view) * normal;\n"
    "    base = unpack(colour);\n"
    "    inner_base = unpack(inner);\n"
    "}\n";
static const char mesh_fragment[] =
    "#version 330 core\n"
    "in vec3 facing;\n"
    "in vec3 base, inner_base;\n"
    "uniform bool plain, filled;\n"
    "uniform float opacity;\n"
    "uniform vec4 inside;\n" /* a colour, and how much of it is mixed with the mesh's */
    "out vec4 result;\n"
    "void main() {\n"
    "    if (filled && !gl_FrontFacing) {\n"
    "        result = vec4(mix(inner_base, inside.rgb, inside.a), opacity);\n"
    "        return;\n"
    "    }\n"
    "    if (plain) { result = vec4(base, opacity); return; }\n"
    "    vec3 n = length(facing) > 0.0 ? normalize(facing) : vec3(0.0, 0.0, 1.0);\n"
    "    if (!gl_FrontFacing) n = -n;\n"
    "    vec3 key = normalize(vec3(-0.45, 0.65, 0.75)), fill = normalize(vec3(0.8, 0.0, 0.5));\n"
    "    float light = 0.47 + 0.09 * n.y + 0.42 * max(dot(n, key), 0.0)\n"
    "        + 0.16 * max(dot(n, fill), 0.0);\n"
    "    vec3 between = normalize(key + vec3(0.0, 0.0, 1.0));\n"
    "    float gloss = 0.12 * pow(max(dot(n, between), 0.0), 30.0);\n"
    "    result = vec4(min(base * light + gloss, 1.0), opacity);\n"
    "}\n";
/* Each piece of a line is a rectangle in the picture, a little nearer than it is. */
static const char line_vertex[] =
    "#version 330 core\n"
    "layout(location = 0) in vec3 from;\n"
    "layout(location = 1) in vec3 to;\n"
    "uniform mat4 project;\n"
    "uniform vec4 plane;\n"
    "uniform vec2 size;\n" /* of the panel, pixels */
    "uniform float width;\n"
    "void main() {\n"
    "    bool end = gl_VertexID > 1;\n"
    "    float side = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;\n"
    "    vec4 a = project * vec4(from, 1.0), b = project * vec4(to, 1.0);\n"
    "    vec2 along = (b.xy / b.w - a.xy / a.w) * size;\n"
    "    along = length(along) > 1e-4 ? normalize(along) : vec2(1.0, 0.0);\n"
    "    vec2 shift = side * vec2(-along.y, along.x) + (end ? along : -along) * 0.6;\n"
    "    gl_Position = end ? b : a;\n"
    "    gl_Position.xy += shift * width / size * gl_Position.w;\n"
    "    gl_Position.z -= 2e-4 * gl_Position.w;\n"
    "    gl_ClipDistance[0] = dot(plane, vec4(end ? to : from, 1.0));\n"
    "}\n";
static const char line_fragment[] = "#version 330 core\n"
                                    "uniform vec4 colour;\n"
                                    "out vec4 result;\n"
                                    "void main() { result = colour; }\n";

static bool add_shader(GLuint program, GLenum kind, const char *source) {
    GLuint shader = glCreateShader(kind);
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    GLint good = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    glAttachShader(program, shader);
    glDeleteShader(shader);
    return good == GL_TRUE;
}

/* 0 if the shaders do not compile. */
static GLuint make_program(const char *vertex, const char *fragment) {
    GLuint program = glCreateProgram();
    GLint good = GL_FALSE;
    if (add_shader(program, GL_VERTEX_SHADER, vertex) &&
        add_shader(program, GL_FRAGMENT_SHADER, fragment)) {
        glLinkProgram(program);
        glGetProgramiv(program, GL_LINK_STATUS, &good);
    }
    if (good != GL_TRUE) {
        glDeleteProgram(program);
        return 0;
    }
    return program;
}

static void set_colour(GLuint program, const char *name, unsigned rgb, float alpha) {
    glUniform4f(glGetUniformLocation(program, name), (float)(rgb >> 16 & 255) / 255,
                (float)(rgb >> 8 & 255) / 255, (float)(rgb & 255) / 255, alpha);
}

/* ---- the context ----------------------------------------------------------------------------- */

typedef struct drawing {
    EGLDisplay display;
    EGLContext context;
    GLuint mesh_program, line_program;
    GLuint frames[2], buffers[3]; /* with samples and without; colour, depth, colour without */
} drawing;

/* Mesa's software renderer among EGL's devices, or EGL_NO_DISPLAY. */
static EGLDisplay software_display(void) {
    PFNEGLQUERYDEVICESEXTPROC devices_of =
        (PFNEGLQUERYDEVICESEXTPROC)eglGetProcAddress("eglQueryDevicesEXT");
    PFNEGLQUERYDEVICESTRINGEXTPROC string_of =
        (PFNEGLQUERYDEVICESTRINGEXTPROC)eglGetProcAddress("eglQueryDeviceStringEXT");
    PFNEGLGETPLATFORMDISPLAYEXTPROC display_of =
        (PFNEGLGETPLATFORMDISPLAYEXTPROC)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDeviceEXT devices[16];
    EGLint n = 0;
    if (!devices_of || !string_of || !display_of || !devices_of(16, devices, &n)) {
        return EGL_NO_DISPLAY;
    }
    for (EGLint i = 0; i < n; i++) {
        const char *extensions = string_of(devices[i], EGL_EXTENSIONS);
        if (extensions && strstr(extensions, "EGL_MESA_device_software")) {
            return display_of(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL);
        }
    }
    return EGL_NO_DISPLAY;
}

/* NULL or what is wrong; what was opened is to be closed in either case. */
static const char *open_context(drawing *d) {
    d->display = software_display();
    if (d->display == EGL_NO_DISPLAY) {
        d->display = eglGetDisplay(EGL_DEFAULT_DISPLAY);
    }
    if (d->display == EGL_NO_DISPLAY || !eglInitialize(d->display, NULL, NULL)) {
        d->display = EGL_NO_DISPLAY;
        return "EGL has no display to draw on; is Mesa (libgl1-mesa-dri) installed?";
    }
    static const EGLint attributes[] = {EGL_CONTEXT_MAJOR_VERSION,
                                        3,
                                        EGL_CONTEXT_MINOR_VERSION,
                                        3,
                                        EGL_CONTEXT_OPENGL_PROFILE_MASK,
                                        EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT,
                                        EGL_NONE};
    if (eglBindAPI(EGL_OPENGL_API)) {
        d->context = eglCreateContext(d->display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, attributes);
    }
    if (d->context == EGL_NO_CONTEXT ||
        !eglMakeCurrent(d->display, EGL_NO_SURFACE, EGL_NO_SURFACE, d->context)) {
        return "EGL makes no OpenGL 3.3 context without a window";
    }
    d->mesh_program = make_program(mesh_vertex, mesh_fragment);
    d->line_program = make_program(line_vertex, line_fragment);
    return d->mesh_program && d->line_program ? NULL : "OpenGL does not compile the shaders";
}

/* The display stays open until the program ends: it may be another's as well, and to load the
 * driver again takes longer than to draw. */
static void close_context(drawing *d) {
    if (d->display == EGL_NO_DISPLAY) {
        return;
    }
    if (d->context != EGL_NO_CONTEXT) {
        glDeleteProgram(d->mesh_program);
        glDeleteProgram(d->line_program);
        glDeleteFramebuffers(2, d->frames);
        glDeleteRenderbuffers(3, d->buffers);
        eglMakeCurrent(d->display, EGL_NO_SURFACE, EGL_NO_SURFACE, EGL_NO_CONTEXT);
        eglDestroyContext(d->display, d->context);
    }
    eglReleaseThread();
}

/* One frame with samples and depth to draw in, one without to read from. */
static bool make_frames(drawing *d, int width, int height) {
    glGenFramebuffers(2, d->frames);
    glGenRenderbuffers(3, d->buffers);
    static const GLenum formats[] = {GL_RGBA8, GL_DEPTH_COMPONENT24, GL_RGBA8};
    static const GLenum places[] = {GL_COLOR_ATTACHMENT0, GL_DEPTH_ATTACHMENT,
                                    GL_COLOR_ATTACHMENT0};
    bool good = true;
    for (int i = 2; i >= 0; i--) {
        glBindFramebuffer(GL_FRAMEBUFFER, d->frames[i / 2]);
        glBindRenderbuffer(GL_RENDERBUFFER, d->buffers[i]);
        glRenderbufferStorageMultisample(GL_RENDERBUFFER, i < 2 ? SAMPLES : 0, formats[i], width,
                                         height);
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, places[i], GL_RENDERBUFFER, d->buffers[i]);
        good = good &&
               (i == 1 || glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE);
    }
    return good && glGetError() == GL_NO_ERROR;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* Nothing is cut by a plane that everything is above. */
static void set_plane(GLuint program, const fb_scene *scene, bool whole) {
    static const float nowhere[4] = {0, 0, 0, 1};
    glUniform4fv(glGetUniformLocation(program, "plane"), 1,
                 scene->cut && !whole ? scene->plane : nowhere);
}

static void fill_buffer(GLenum target, GLuint buffer, size_t bytes, const void *data) {
    glBindBuffer(target, buffer);
    glBufferData(target, (GLsizeiptr)bytes, data, GL_STREAM_DRAW);
}

static void draw_mesh(const drawing *d, const fb_scene *scene, const fb_scene_mesh *mesh) {
    GLuint program = d->mesh_program, buffers[5], array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(5, buffers);
    fill_buffer(GL_ARRAY_BUFFER, buffers[0], mesh->n_points * 12, mesh->points);
    glVertexAttribPointer(0, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    fill_buffer(GL_ARRAY_BUFFER, buffers[1], mesh->n_points * 12, mesh->normals);
    glVertexAttribPointer(1, 3, GL_FLOAT, GL_FALSE, 0, NULL);
    fill_buffer(GL_ARRAY_BUFFER, buffers[2], mesh->n_points * 4, mesh->colours);
    glVertexAttribIPointer(2, 1, GL_UNSIGNED_INT, 0, NULL);
    fill_buffer(GL_ARRAY_BUFFER, buffers[3], mesh->n_points * 4, mesh->inside_colours);
    glVertexAttribIPointer(3, 1, GL_UNSIGNED_INT, 0, NULL);
    fill_buffer(GL_ELEMENT_ARRAY_BUFFER, buffers[4], mesh->n_triangles * 12, mesh->triangles);
    for (GLuint i = 0; i < 4; i++) {
        glEnableVertexAttribArray(i);
    }
    set_plane(program, scene, mesh->whole);
    glUniform1i(glGetUniformLocation(program, "plain"), mesh->plain);
    glUniform1f(glGetUniformLocation(program, "opacity"), mesh->opacity);
    bool filled = mesh->inside != FB_INSIDE_SHADED;
    glUniform1i(glGetUniformLocation(program, "filled"), filled);
    set_colour(program, "inside", mesh->inside == FB_INSIDE_PALE ? 0xFFFFFF : mesh->inside_colour,
               mesh->inside == FB_INSIDE_PALE ? 0.35F : 1);
    /* of a closed mesh that is not cut nothing inside can be seen */
    (filled && (!scene->cut || mesh->whole) ? glEnable : glDisable)(GL_CULL_FACE);
    glDrawElements(GL_TRIANGLES, (GLsizei)(3 * mesh->n_triangles), GL_UNSIGNED_INT, NULL);
    glDeleteBuffers(5, buffers);
    glDeleteVertexArrays(1, &array);
}

static void draw_lines(const drawing *d, const fb_scene *scene, const scene_lines *lines) {
    GLuint program = d->line_program, buffer, array;
    glGenVertexArrays(1, &array);
    glBindVertexArray(array);
    glGenBuffers(1, &buffer);
    fill_buffer(GL_ARRAY_BUFFER, buffer, lines->n * 24, lines->ends);
    for (GLuint i = 0; i < 2; i++) {
        glVertexAttribPointer(i, 3, GL_FLOAT, GL_FALSE, 24, (const void *)(12 * (uintptr_t)i));
        glVertexAttribDivisor(i, 1);
        glEnableVertexAttribArray(i);
    }
    set_plane(program, scene, lines->whole);
    set_colour(program, "colour", lines->rgb, 1);
    glUniform1f(glGetUniformLocation(program, "width"), lines->width);
    glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, (GLsizei)lines->n);
    glDeleteBuffers(1, &buffer);
    glDeleteVertexArrays(1, &array);
}

/* What is opaque, or what is not: the latter hides nothing, and lets through what is there. */
static void draw_meshes(const drawing *d, const fb_scene *scene, bool opaque) {
    glUseProgram(d->mesh_program);
    glUniformMatrix4fv(glGetUniformLocation(d->mesh_program, "project"), 1, GL_FALSE,
                       scene->project);
    glUniformMatrix4fv(glGetUniformLocation(d->mesh_program, "view"), 1, GL_FALSE, scene->view);
    if (scene->lined) { /* surfaces a little farther than lines on them, steep ones more */
        glPolygonOffset(2, 4);
    }
    (opaque ? glDisable : glEnable)(GL_BLEND);
    glDepthMask(opaque);
    for (const scene_mesh *m = scene->meshes; m; m = m->next) {
        if ((m->mesh.opacity >= 1) == opaque) {
            draw_mesh(d, scene, &m->mesh);
        }
    }
    glPolygonOffset(0, 0);
    glDisable(GL_CULL_FACE);
    glDisable(GL_BLEND);
    glDepthMask(GL_TRUE);
}

static void draw_scene(const drawing *d, const fb_scene *scene) {
    glViewport(scene->x, scene->picture->height - scene->y - scene->height, scene->width,
               scene->height);
    draw_meshes(d, scene, true);
    glUseProgram(d->line_program);
    glUniformMatrix4fv(glGetUniformLocation(d->line_program, "project"), 1, GL_FALSE,
                       scene->project);
    glUniform2f(glGetUniformLocation(d->line_program, "size"), (float)scene->width,
                (float)scene->height);
    for (const scene_lines *l = scene->lines; l; l = l->next) {
        draw_lines(d, scene, l);
    }
    draw_meshes(d, scene, false);
}

/* The finished frame into the picture's pixels, upper row first. */
static void read_frame(const drawing *d, fb_picture *picture) {
    int w = picture->width, h = picture->height;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, d->frames[0]);
    glBindFramebuffer(GL_DRAW_FRAMEBUFFER, d->frames[1]);
    glBlitFramebuffer(0, 0, w, h, 0, 0, w, h, GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_READ_FRAMEBUFFER, d->frames[1]);
    for (int y = 0; y < h; y++) {
        glReadPixels(0, h - 1 - y, w, 1, GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV,
                     picture->pixels + (size_t)y * (size_t)w);
    }
}

static const char *draw(drawing *d, fb_picture *picture) {
    const char *wrong = open_context(d);
    if (wrong) {
        return wrong;
    }
    if (!make_frames(d, picture->width, picture->height)) {
        return "OpenGL has no memory for a picture of this size";
    }
    unsigned rgb = picture->background;
    glBindFramebuffer(GL_FRAMEBUFFER, d->frames[0]);
    glEnable(GL_MULTISAMPLE);
    glEnable(GL_DEPTH_TEST);
    glEnable(GL_CLIP_DISTANCE0);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glDepthFunc(GL_LEQUAL);
    glBlendFunc(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA);
    glClearColor((float)(rgb >> 16 & 255) / 255, (float)(rgb >> 8 & 255) / 255,
                 (float)(rgb & 255) / 255, 1);
    glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
    for (const fb_scene *scene = picture->scenes; scene; scene = scene->next) {
        draw_scene(d, scene);
    }
    read_frame(d, picture);
    return glGetError() == GL_NO_ERROR ? NULL : "OpenGL could not draw the picture";
}

const char *fb_picture_draw(fb_picture *picture) {
    drawing d = {.display = EGL_NO_DISPLAY, .context = EGL_NO_CONTEXT};
    const char *wrong = draw(&d, picture);
    close_context(&d);
    return wrong;
}
