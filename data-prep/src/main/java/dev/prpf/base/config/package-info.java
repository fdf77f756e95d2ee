/** Strict configuration: YAML to records, every defect reported at once with file, line and key. */
@NullMarked
package dev.prpf.base.config;

import org.jspecify.annotations.NullMarked;
