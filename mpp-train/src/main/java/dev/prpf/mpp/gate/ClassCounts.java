package dev.prpf.mpp.gate;

import dev.prpf.base.error.InvalidDataException;
import dev.prpf.base.error.PrpfException;

/**
 * How many labelled samples there are of each class.
 *
 * @param acting that want an intervention
 * @param silent that want none
 */
public record ClassCounts(long acting, long silent) {
    /** @throws PrpfException 65 naming the samples' owner if all want the same, or there are none: no gate can be trained or judged */
    public void requireBoth(String owner) {
        if (acting == 0 || silent == 0) {
            throw new InvalidDataException(owner + ": holds " + acting + " samples that want an intervention and "
                    + silent + " silent ones; a gate needs some of both");
        }
    }
}
