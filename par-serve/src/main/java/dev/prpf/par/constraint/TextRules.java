package dev.prpf.par.constraint;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The rules of one kind of free text, byte by byte: valid UTF-8, what may stand in it, and what ends it. */
interface TextRules {
    /**
     * A place in a text.
     *
     * @param blank whether nothing but white space came so far
     * @param pending bytes of an unfinished character, escape or tag, as far as they matter; empty in between
     * @param exit the ending just read, or -1 within the text
     */
    record Place(boolean blank, String pending, int exit) {
        static final int INSIDE = -1;

        static Place inside(boolean blank, String pending) {
            return new Place(blank, pending, INSIDE);
        }

        static Place out(int exit) {
            return new Place(false, "", exit);
        }
    }

    /** The place after a byte, or null if the byte cannot come. */
    @Nullable
    Place next(Place place, int b);

    /** What ends such a text; the place in this list is the number of the exit. */
    List<String> endings();
}
