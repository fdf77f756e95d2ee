/**
 * The domain types of samples, used by all other packages.
 *
 * <p>Key types: {@link dev.prpf.data.Sample} (context, trajectory, valid answers), {@link dev.prpf.data.FunctionPool} (the
 * callable functions), {@link dev.prpf.data.ScenarioCatalog} (the intent scenarios and the map from function to scenario).
 * {@link dev.prpf.data.BestMatch} selects the valid answer that a response is scored against (PRPF Appendix A.4, B.3). All
 * are immutable values checked on construction. {@code io} reads, checks and writes them, {@code synth}
 * generates and {@code encode} encodes them.
 */
@NullMarked
package dev.prpf.data;

import org.jspecify.annotations.NullMarked;
