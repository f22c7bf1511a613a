/* The version of fbtools and of its library. */
#ifndef FB_VERSION_H
#define FB_VERSION_H
#define FB_VERSION "0.1.0"
#endif
