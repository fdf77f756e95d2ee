/** The command line's main class. Metrics, suites and reports live in the subpackages. */
@NullMarked
package dev.prpf.cli;

import org.jspecify.annotations.NullMarked;
