/**
 * Files that are complete or absent: {@link dev.prpf.base.files.AtomicFiles} for one write, {@link dev.prpf.base.files.LineFile}
 * for growing files, {@link dev.prpf.base.files.RecordLines} for JSON Lines, {@link dev.prpf.base.files.SafeTensors} for arrays.
 */
@NullMarked
package dev.prpf.base.files;

import org.jspecify.annotations.NullMarked;
