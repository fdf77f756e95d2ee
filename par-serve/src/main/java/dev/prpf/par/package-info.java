/** Module par; see the subpackages. */
@NullMarked
package dev.prpf.par;

import org.jspecify.annotations.NullMarked;
