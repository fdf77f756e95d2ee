@NullMarked
package dev.prpf.data;

import org.jspecify.annotations.NullMarked;
