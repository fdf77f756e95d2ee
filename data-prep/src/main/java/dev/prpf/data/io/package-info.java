/** Files to samples and back, as streams; safetensors. */
@NullMarked
package dev.prpf.data.io;

import org.jspecify.annotations.NullMarked;
