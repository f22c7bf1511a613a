/* A formula becomes a list of steps on a stack of values; derivatives are carried along with the
 * values (forward mode). */
#include "libcore/motion/expression.h"

#include <math.h>
#include <string.h>

#include "libcore/base/number.h"

#define MOST_STEPS 4096 /* of one formula, definitions counted each time they are used */
#define MOST_STACK 40
#define MOST_NESTING 64
#define MOST_PARTS 32 /* the formula and its definitions */
#define MOST_VARIABLES FB_MAX_ARGUMENTS

typedef enum operation {
    NUMBER,
    VARIABLE,
    NEGATE,
    SQRT,
    EXP,
    LOG,
    SIN,
    COS,
    SEC,
    CSC,
    TAN,
    COT,
    ASIN,
    ACOS,
    ATAN,
    SINH,
    COSH,
    TANH,
    ERF,
    ERFC,
    STEP,
    DELTA,
    SQUARE,
    CUBE,
    RECIP,
    ABS,
    ADD, /* from here on: of two arguments */
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    POWER,
    MIN,
    MAX
} operation;

typedef struct step {
    operation code;
    int variable;
    double number;
} step;

struct fb_expression {
    step *steps;
    int n_steps, n_variables;
};

/* ---- compiling ------------------------------------------------------------------------------ */

typedef struct parser {
    const char *parts[MOST_PARTS], *names[MOST_PARTS]; /* texts; names of definitions */
    int n_parts, part;                                 /* part: the one being read */
    const char *at;
    const char *const *variables;
    int n_variables;
    fb_arena *arena;
    step *steps;
    size_t n_steps, capacity;
    int stack, nesting; /* values on the stack; depth of the parser */
    const char *problem;
} parser;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(parser *p) {
    while (is_space(*p->at)) {
        p->at++;
    }
}

static void complain(parser *p, const char *problem) {
    if (!p->problem) {
        p->problem = problem;
    }
}

static void emit(parser *p, step s) {
    p->stack += s.code < NEGATE ? 1 : s.code >= ADD ? -1 : 0;
    if (p->n_steps >= MOST_STEPS || p->stack > MOST_STACK) {
        complain(p, "it is too long");
        return;
    }
    FB_PUSH(p->arena, p->steps, p->n_steps, p->capacity, s);
}

static void parse(parser *p, int least);

/* The formula of a definition, in place of its name. */
static void parse_part(parser *p, int part) {
    const char *at = p->at;
    int before = p->part;
    p->part = part;
    p->at = p->parts[part];
    parse(p, 0);
    skip_space(p);
    if (*p->at != 0) {
        complain(p, "it has something behind its end");
    }
    p->part = before;
    p->at = at;
}

static void parse_variable(parser *p, const char *name, size_t n) {
    for (int i = p->part + 1; i < p->n_parts; i++) { /* definitions to the right come first */
        if (strlen(p->names[i]) == n && memcmp(p->names[i], name, n) == 0) {
            parse_part(p, i);
            return;
        }
    }
    for (int i = 0; i < p->n_variables; i++) {
        if (strlen(p->variables[i]) == n && memcmp(p->variables[i], name, n) == 0) {
            emit(p, (step){.code = VARIABLE, .variable = i});
            return;
        }
    }
    complain(p, "it uses a name that is unknown");
}

static void parse_call(parser *p, const char *name, size_t n) {
    static const struct {
        const char *name;
        operation code;
    } functions[] = {{"sqrt", SQRT}, {"exp", EXP},     {"log", LOG},     {"sin", SIN},
                     {"cos", COS},   {"sec", SEC},     {"csc", CSC},     {"tan", TAN},
                     {"cot", COT},   {"asin", ASIN},   {"acos", ACOS},   {"atan", ATAN},
                     {"sinh", SINH}, {"cosh", COSH},   {"tanh", TANH},   {"erf", ERF},
                     {"erfc", ERFC}, {"step", STEP},   {"delta", DELTA}, {"square", SQUARE},
                     {"cube", CUBE}, {"recip", RECIP}, {"abs", ABS},     {"min", MIN},
                     {"max", MAX}};
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strlen(functions[i].name) != n || memcmp(functions[i].name, name, n) != 0) {
            continue;
        }
        p->at++; /* ( */
        parse(p, 0);
        skip_space(p);
        if (functions[i].code >= ADD) {
            if (*p->at != ',') {
                complain(p, "a function has too few arguments");
                return;
            }
            p->at++;
            parse(p, 0);
            skip_space(p);
        }
        if (*p->at != ')') {
            complain(p, "a function has too many arguments, or lacks its ')'");
            return;
        }
        p->at++;
        emit(p, (step){.code = functions[i].code});
        return;
    }
    complain(p, "it uses a function that is unknown");
}

static void parse_operand(parser *p) {
    skip_space(p);
    const char *start = p->at;
    if (*start == '(') {
        p->at++;
        parse(p, 0);
        skip_space(p);
        if (*p->at != ')') {
            complain(p, "a ')' is missing");
            return;
        }
        p->at++;
    } else if (*start == '-') {
        p->at++;
        parse(p, 2);
        emit(p, (step){.code = NEGATE});
    } else if ((*start >= '0' && *start <= '9') || *start == '.') {
        step s = {.code = NUMBER};
        if (!fb_number_scan(&p->at, start + strlen(start), &s.number)) {
            complain(p, "a number cannot be read");
            return;
        }
        emit(p, s);
    } else {
        size_t n = strcspn(start, "+-*/^(), \t\n\r");
        if (n == 0) {
            complain(p, "a number or a name is missing");
            return;
        }
        p->at += n;
        skip_space(p);
        if (*p->at == '(') {
            parse_call(p, start, n);
        } else {
            parse_variable(p, start, n);
        }
    }
}

/* Operators of at least that precedence: + and - 0, * and / 1, unary minus 2, ^ 3. */
static void parse(parser *p, int least) {
    static const char operators[] = "+-*/^";
    static const int precedence[] = {0, 0, 1, 1, 3}, right[] = {1, 1, 2, 2, 3};
    static const operation codes[] = {ADD, SUBTRACT, MULTIPLY, DIVIDE, POWER};
    if (++p->nesting > MOST_NESTING) {
        complain(p, "it is nested too deeply");
    }
    if (!p->problem) {
        parse_operand(p);
    }
    while (!p->problem) {
        skip_space(p);
        const char *found = *p->at ? strchr(operators, *p->at) : NULL;
        if (!found || precedence[found - operators] < least) {
            break;
        }
        p->at++;
        parse(p, right[found - operators]);
        emit(p, (step){.code = codes[found - operators]});
    }
    p->nesting--;
}

/* Splits "formula; name = formula; .." */
static void split(parser *p, char *text) {
    while (text && p->n_parts < MOST_PARTS) {
        char *next = strchr(text, ';'), *name = "";
        if (next) {
            *next++ = 0;
        }
        if (p->n_parts > 0) {
            char *equals = strchr(text, '=');
            name = text + strspn(text, " \t\n\r");
            if (!equals) {
                if (*name) {
                    complain(p, "a definition behind ';' lacks its '='");
                }
                text = next;
                continue;
            }
            *equals = 0;
            text = equals + 1;
            while (equals > name && is_space(equals[-1])) {
                *--equals = 0;
            }
        }
        p->names[p->n_parts] = name;
        p->parts[p->n_parts++] = text;
        text = next;
    }
    if (text) {
        complain(p, "it has too many definitions");
    }
}

fb_status fb_expression_compile(fb_expression **expression, const char *text,
                                const char *const *variables, int n, fb_arena *arena,
                                const char **problem) {
    parser p = {.variables = variables, .n_variables = n, .arena = arena};
    *expression = NULL;
    if (n > MOST_VARIABLES) {
        complain(&p, "it has too many variables");
    }
    split(&p, fb_arena_dup(arena, text));
    if (!p.problem) {
        parse_part(&p, 0);
    }
    *problem = p.problem;
    if (p.problem) {
        return FB_E_INPUT;
    }
    *expression = fb_arena_alloc(arena, sizeof **expression);
    (*expression)->steps = p.steps;
    (*expression)->n_steps = (int)p.n_steps;
    (*expression)->n_variables = n;
    return FB_OK;
}

int fb_expression_arguments(const fb_expression *expression) {
    return expression->n_variables;
}

/* ---- evaluation ----------------------------------------------------------------------------- */

/* A value on the stack. Its derivatives are not set if it is constant. */
typedef struct slot {
    double value, gradient[MOST_VARIABLES], hessian[MOST_VARIABLES * MOST_VARIABLES];
    bool constant;
} slot;

/* A function of one argument: d[0] value, d[1] and d[2] derivatives. */
static void one_argument(operation code, double x, double *d) {
    double v = 0, a = 0, b = 0;
    switch (code) {
    case NEGATE: v = -x, a = -1; break;
    case SQRT: v = sqrt(x), a = 0.5 / v, b = -0.25 / (v * v * v); break;
    case EXP: v = a = b = exp(x); break;
    case LOG: v = log(x), a = 1 / x, b = -a * a; break;
    case SIN: v = sin(x), a = cos(x), b = -v; break;
    case COS: v = cos(x), a = -sin(x), b = -v; break;
    case SEC: v = 1 / cos(x), a = v * tan(x), b = v * (2 * v * v - 1); break;
    case CSC: v = 1 / sin(x), a = -v / tan(x), b = v * (2 * v * v - 1); break;
    case TAN: v = tan(x), a = 1 + v * v, b = 2 * v * a; break;
    case COT: v = 1 / tan(x), a = -1 - v * v, b = -2 * v * a; break;
    case ASIN: v = asin(x), a = 1 / sqrt(1 - x * x), b = x * a * a * a; break;
    case ACOS: v = acos(x), a = -1 / sqrt(1 - x * x), b = x * a * a * a; break;
    case ATAN: v = atan(x), a = 1 / (1 + x * x), b = -2 * x * a * a; break;
    case SINH: v = sinh(x), a = cosh(x), b = v; break;
    case COSH: v = cosh(x), a = sinh(x), b = v; break;
    case TANH: v = tanh(x), a = 1 - v * v, b = -2 * v * a; break;
    case ERF: v = erf(x), a = 2 / sqrt(M_PI) * exp(-x * x), b = -2 * x * a; break;
    case ERFC: v = erfc(x), a = -2 / sqrt(M_PI) * exp(-x * x), b = -2 * x * a; break;
    case STEP: v = x >= 0 ? 1 : 0; break;
    case DELTA: v = x == 0 ? 1 : 0; break;
    case SQUARE: v = x * x, a = 2 * x, b = 2; break;
    case CUBE: v = x * x * x, a = 3 * x * x, b = 6 * x; break;
    case RECIP: v = 1 / x, a = -v * v, b = 2 * v * v * v; break;
    case ABS: v = fabs(x), a = x >= 0 ? 1 : -1; break;
    default: break;
    }
    d[0] = v;
    d[1] = a;
    d[2] = b;
}

/* k x^(k-1) and its like, without 0 times infinity. */
static double scaled_power(double factor, double x, double exponent) {
    return factor == 0 ? 0 : factor * pow(x, exponent);
}

/* A function of two arguments: d[0] value, d[1], d[2] first, d[3] (xx), d[4] (xy), d[5] (yy) second
 * derivatives. */
static void two_arguments(operation code, const slot *x, const slot *y, bool slopes, double *d) {
    double a = x->value, b = y->value;
    memset(d, 0, 6 * sizeof *d);
    switch (code) {
    case ADD: d[0] = a + b, d[1] = d[2] = 1; break;
    case SUBTRACT: d[0] = a - b, d[1] = 1, d[2] = -1; break;
    case MULTIPLY: d[0] = a * b, d[1] = b, d[2] = a, d[4] = 1; break;
    case DIVIDE:
        d[0] = a / b;
        d[1] = 1 / b;
        d[2] = -a / (b * b);
        d[4] = -1 / (b * b);
        d[5] = 2 * a / (b * b * b);
        break;
    case POWER:
        d[0] = pow(a, b);
        if (slopes && !x->constant) {
            d[1] = scaled_power(b, a, b - 1);
            d[3] = scaled_power(b * (b - 1), a, b - 2);
        }
        if (slopes && !y->constant) {
            double l = log(a);
            d[2] = d[0] * l;
            d[4] = pow(a, b - 1) * (1 + b * l);
            d[5] = d[0] * l * l;
        }
        break;
    case MIN: d[1] = b >= a ? 1 : 0, d[2] = 1 - d[1], d[0] = b >= a ? a : b; break;
    case MAX: d[1] = a >= b ? 1 : 0, d[2] = 1 - d[1], d[0] = a >= b ? a : b; break;
    default: break;
    }
}

/* Chain rules; the result takes x's place. order: 0 value, 1 gradient, 2 Hessian. */
static void apply_one(slot *x, operation code, int n, int order) {
    double d[3];
    one_argument(code, x->value, d);
    x->value = d[0];
    if (x->constant) {
        return;
    }
    for (int i = 0; order > 1 && i < n; i++) {
        for (int j = 0; j < n; j++) {
            x->hessian[i * n + j] = d[1] * x->hessian[i * n + j] +
                                    d[2] * x->gradient[i] * x->gradient[j];
        }
    }
    for (int i = 0; order > 0 && i < n; i++) {
        x->gradient[i] *= d[1];
    }
}

static void clear_slopes(slot *x, int n, int order) {
    if (order > 0) {
        memset(x->gradient, 0, (size_t)n * sizeof *x->gradient);
    }
    if (order > 1) {
        memset(x->hessian, 0, (size_t)(n * n) * sizeof *x->hessian);
    }
}

static void apply_two(slot *x, const slot *y, operation code, int n, int order) {
    double d[6];
    two_arguments(code, x, y, order > 0, d);
    x->value = d[0];
    if (x->constant && y->constant) {
        return;
    }
    double zero[MOST_VARIABLES * MOST_VARIABLES] = {0};
    const double *g = y->constant ? zero : y->gradient, *h = y->constant ? zero : y->hessian;
    if (x->constant) {
        clear_slopes(x, n, order);
        d[1] = d[3] = d[4] = 0;
    }
    if (y->constant) {
        d[2] = d[4] = d[5] = 0;
    }
    x->constant = false;
    for (int i = 0; order > 1 && i < n; i++) {
        for (int j = 0; j < n; j++) {
            x->hessian[i * n + j] = d[1] * x->hessian[i * n + j] + d[2] * h[i * n + j] +
                                    d[3] * x->gradient[i] * x->gradient[j] +
                                    d[4] * (x->gradient[i] * g[j] + g[i] * x->gradient[j]) +
                                    d[5] * g[i] * g[j];
        }
    }
    for (int i = 0; order > 0 && i < n; i++) {
        x->gradient[i] = d[1] * x->gradient[i] + d[2] * g[i];
    }
}

double fb_expression_value(const fb_expression *expression, const double *x, double *gradient,
                           double *hessian) {
    slot stack[MOST_STACK];
    int n = expression->n_variables, order = hessian ? 2 : gradient ? 1 : 0, top = -1;
    stack[0].value = 0;
    stack[0].constant = true;
    for (int i = 0; i < expression->n_steps; i++) {
        const step *s = &expression->steps[i];
        if (s->code == NUMBER) {
            stack[++top].value = s->number;
            stack[top].constant = true;
        } else if (s->code == VARIABLE) {
            stack[++top].value = x[s->variable];
            stack[top].constant = false;
            clear_slopes(&stack[top], n, order);
            stack[top].gradient[s->variable] = 1;
        } else if (s->code < ADD) {
            apply_one(&stack[top], s->code, n, order);
        } else {
            top--;
            apply_two(&stack[top], &stack[top + 1], s->code, n, order);
        }
    }
    if (stack[0].constant) {
        clear_slopes(&stack[0], n, order);
    }
    if (gradient) {
        memcpy(gradient, stack[0].gradient, (size_t)n * sizeof *gradient);
    }
    if (hessian) {
        memcpy(hessian, stack[0].hessian, (size_t)(n * n) * sizeof *hessian);
    }
    return stack[0].value;
}
