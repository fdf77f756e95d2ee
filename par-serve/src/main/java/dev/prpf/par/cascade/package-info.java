/** The cascade of perceiver and reasoner: one sample in, one prediction out. */
@NullMarked
package dev.prpf.par.cascade;

import org.jspecify.annotations.NullMarked;
