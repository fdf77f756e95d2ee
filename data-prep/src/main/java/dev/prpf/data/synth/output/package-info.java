/** Writes generated samples to a folder: {@link dev.prpf.data.synth.output.SynthOutput} writes records, pool, scenarios and screenshots. */
@NullMarked
package dev.prpf.data.synth.output;

import org.jspecify.annotations.NullMarked;
