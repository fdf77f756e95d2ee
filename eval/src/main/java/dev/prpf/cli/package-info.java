/**
 * The command line of the program. {@link Main} builds and runs the commands of {@code ./prpf}; {@code prpf runs} lists and
 * compares runs. Subpackages have the commands over whole workflows: {@code recipe} (train, quickstart, serve, evaluate), {@code
 * sweep} (grid), {@code launch} (jobs), {@code tracking} (MLflow, TensorBoard) and {@code doctor}.
 */
@NullMarked
package dev.prpf.cli;

import org.jspecify.annotations.NullMarked;
