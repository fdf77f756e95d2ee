/**
 * {@code prpf serve}: perceiver, reasoner and reward over HTTP, in one process. {@link dev.prpf.par.serve.ServeConfig} is its configuration; the
 * packages below are its HTTP layer ({@code http}), its generation loop ({@code generation}) and its components, each with its {@code Routes}.
 */
@NullMarked
package dev.prpf.par.serve;

import org.jspecify.annotations.NullMarked;
