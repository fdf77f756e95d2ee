/**
 * {@code prpf par serve}: perceiver, reasoner and reward behind HTTP, in one process. {@link dev.prpf.par.serve.ServeConfig} is its
 * configuration; the packages below are its floor ({@code http}), its generation loop ({@code generation}) and its wings, each a {@code Routes}.
 */
@NullMarked
package dev.prpf.par.serve;

import org.jspecify.annotations.NullMarked;
