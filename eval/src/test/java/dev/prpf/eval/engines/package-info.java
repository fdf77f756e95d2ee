@NullMarked
package dev.prpf.eval.engines;

import org.jspecify.annotations.NullMarked;
