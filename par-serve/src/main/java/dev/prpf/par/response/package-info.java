/** What the reasoner says: the response grammar, its writer and its parser (docs/RESPONSE.md). */
@NullMarked
package dev.prpf.par.response;

import org.jspecify.annotations.NullMarked;
