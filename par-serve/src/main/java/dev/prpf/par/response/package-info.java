/** The grammar of reasoner responses, with its writer and parser (docs/RESPONSE.md). */
@NullMarked
package dev.prpf.par.response;

import org.jspecify.annotations.NullMarked;
