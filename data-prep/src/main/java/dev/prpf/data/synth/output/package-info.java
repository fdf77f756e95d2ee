/** Made samples as a folder of files: {@link dev.prpf.data.synth.output.SynthOutput} writes records, pool, scenarios and drawn screenshots. */
@NullMarked
package dev.prpf.data.synth.output;

import org.jspecify.annotations.NullMarked;
