/* Recipes as a table: what each muscle's body is made from, and where each number came from. */
#ifndef FB_FORMATS_RECIPES_H
#define FB_FORMATS_RECIPES_H

#include "formats/text.h"
#include "libcore/bundle/recipe.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes a line of column names and a line for each recipe, with tabs between; SI units, radians.
 * What a refused recipe has not is empty. Lists within a cell are parted by commas, notes by
 * semicolons. Lines that begin with '#' at the end have the sum of volumes and the number refused;
 * fb_bundle_table_read skips them, but not the other columns. */
void fb_recipes_write(fb_text *out, const fb_recipes *recipes, const fb_model *model);

/* "model", "spec", "measured", "table", "path", "width". */
const char *fb_recipe_source_word(fb_recipe_source source);

#ifdef __cplusplus
}
#endif
#endif
