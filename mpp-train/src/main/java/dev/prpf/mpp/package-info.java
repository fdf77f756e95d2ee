/** Module mpp; see the subpackages. */
@NullMarked
package dev.prpf.mpp;

import org.jspecify.annotations.NullMarked;
