/* Functions: splines, polynomials, steps and other scalar curves that other elements own. */
#include "libcore/model/class.h"

static const fb_field constant[] = {
    FB_F_NUM("value", "value", "0", "1", "the value everywhere"),
};

static const fb_field linear[] = {
    FB_F_VEC("coefficients", "coefficients", 2, "1 0", "1", "slope, then the value at zero"),
};

static const fb_field polynomial[] = {
    {"coefficients", "coefficients", FB_NUMBERS, 0, 0, "1", NULL, FB_ANY, FB_BY_NAME, "1",
     "coefficients, the highest power first"},
};

static const fb_field multivariate_polynomial[] = {
    FB_F_NUMS("coefficients", "coefficients", "1",
              "coefficients, the powers of the last variable rising fastest"),
    FB_F_INT("dimension", "dimension", "0", "number of variables"),
    FB_F_INT("order", "order", "0", "highest sum of powers in a term"),
};

/* Points of a tabulated curve. */
#define POINT_FIELDS \
    FB_F_NUMS("x", "x", "1", "abscissae, rising"), \
    FB_F_NUMS("y", "y", "1", "ordinates, one for each x")

static const fb_field points[] = {POINT_FIELDS};

static const fb_field gcv_spline[] = {
    FB_F_INT("half_order", "half_order", "0", "half of the degree plus one, so 3 makes a quintic spline"),
    FB_F_NUM_F("error_variance", "error_variance", "0", "1", FB_BRIEF,
               "variance of the noise in y, 0 to interpolate and negative to let cross-validation choose"),
    POINT_FIELDS,
    FB_F_NUMS_F("weights", "weights", "1", FB_BRIEF, "weight of each point, not used by the fit"),
    FB_F_NUMS_F("coefficients", "coefficients", "1", FB_BRIEF, "spline coefficients, computed anew on loading"),
};

static const fb_field step[] = {
    FB_F_NUM("start_time", "transition_start_time", "0.99", "s", "where the step begins"),
    FB_F_NUM("end_time", "transition_end_time", "1.01", "s", "where the step is complete"),
    FB_F_NUM("start_value", "start_value", "0", "1", "value before the step"),
    FB_F_NUM("end_value", "end_value", "1", "1", "value after the step"),
};

static const fb_field sine[] = {
    FB_F_NUM("amplitude", "amplitude", "1", "1", "largest distance from the offset"),
    FB_F_NUM("angular_frequency", "omega", "1", "rad/s", "angular frequency"),
    FB_F_NUM("phase", "phase", "0", "rad", "phase at zero"),
    FB_F_NUM("offset", "offset", "0", "1", "mean value"),
};

static const fb_field multiplier[] = {
    FB_F_OBJ("function", "function", FB_FUNCTION, FB_WRAPPED, NULL, "the function that is scaled"),
    FB_F_NUM("scale", "scale", "1", "1", "factor on the function's value"),
};

static const fb_field expression[] = {
    FB_F_TEXT("expression", "expression", "", "formula in the variables' names"),
    FB_F_TEXTS("variables", "variables", 0, "names of the variables, in the order of the arguments"),
};

const fb_class fb_classes_functions[] = {
    FB_CLASS("Constant", "constant", NULL, FB_FUNCTION, constant, "the same value everywhere"),
    FB_CLASS("LinearFunction", "linear", NULL, FB_FUNCTION, linear, "a straight line"),
    FB_CLASS("PolynomialFunction", "polynomial", NULL, FB_FUNCTION, polynomial, "a polynomial of one variable"),
    FB_CLASS("MultivariatePolynomialFunction", "multivariate_polynomial", NULL, FB_FUNCTION, multivariate_polynomial,
             "a polynomial of several variables"),
    FB_CLASS("SimmSpline", "simm_spline", NULL, FB_FUNCTION, points,
             "a cubic spline through points, with straight ends"),
    FB_CLASS("GCVSpline", "gcv_spline", NULL, FB_FUNCTION, gcv_spline,
             "a natural spline of odd degree, through points or smoothing them"),
    FB_CLASS("PiecewiseLinearFunction", "piecewise_linear", NULL, FB_FUNCTION, points,
             "straight lines between points, the outer ones continued"),
    FB_CLASS("PiecewiseConstantFunction", "piecewise_constant", NULL, FB_FUNCTION, points,
             "steps at points, each value kept up to the next one"),
    FB_CLASS("StepFunction", "step", NULL, FB_FUNCTION, step, "one smooth step between two values"),
    FB_CLASS("Sine", "sine", NULL, FB_FUNCTION, sine, "a sine wave"),
    FB_CLASS("MultiplierFunction", "multiplier", NULL, FB_FUNCTION, multiplier, "another function times a factor"),
    FB_CLASS("ExpressionBasedFunction", "expression", NULL, FB_FUNCTION, expression,
             "a formula written as text (OpenSim 4.5.2 and later)"),
    {NULL, NULL, NULL, FB_ANY, NULL, 0, NULL},
};
