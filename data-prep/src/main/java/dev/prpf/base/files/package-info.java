/**
 * Files that are whole or absent: {@link dev.prpf.base.files.AtomicFiles} for one write, {@link dev.prpf.base.files.LineFile} for files that
 * grow, {@link dev.prpf.base.files.RecordLines} for records as JSON Lines, {@link dev.prpf.base.files.SafeTensors} for arrays.
 */
@NullMarked
package dev.prpf.base.files;

import org.jspecify.annotations.NullMarked;
