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
    /**
     * Makes sure that a gate can be trained, tuned or judged on the samples.
     *
     * @param owner whose samples these are, at the message's begin
     * @throws PrpfException 65 if all want the same, or there are none
     */
    public void requireBoth(String owner) {
        if (acting == 0 || silent == 0) {
            throw new InvalidDataException(owner + ": holds " + acting + " samples that want an intervention and "
                    + silent + " silent ones; a gate needs some of both");
        }
    }
}
