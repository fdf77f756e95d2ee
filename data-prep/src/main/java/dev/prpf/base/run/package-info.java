/** Run directories, checkpoints, signals and memory: lets long-running work survive a kill. */
@NullMarked
package dev.prpf.base.run;

import org.jspecify.annotations.NullMarked;
