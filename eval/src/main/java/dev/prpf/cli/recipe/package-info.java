/**
 * From a recipe to a cascade. {@link dev.prpf.cli.recipe.RecipePlan} lists the commands, {@link dev.prpf.cli.recipe.RecipeRunner} runs them by
 * {@link dev.prpf.base.workflow.StageRunner}, {@link dev.prpf.cli.recipe.RecipeResults} compares the cascade with baselines without learning,
 * {@link dev.prpf.par.cascade.CascadeFolder} holds the result. The quickstart is a shipped recipe.
 *
 * <p>Invariant: data and recipe are checked before anything is written.
 */
@NullMarked
package dev.prpf.cli.recipe;

import org.jspecify.annotations.NullMarked;
