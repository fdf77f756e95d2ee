/** Reads strict YAML configurations into records and reports all defects at once with file, line and key. */
@NullMarked
package dev.prpf.base.config;

import org.jspecify.annotations.NullMarked;
