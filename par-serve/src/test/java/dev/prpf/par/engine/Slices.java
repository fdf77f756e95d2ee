package dev.prpf.par.engine;

import org.apache.commons.lang3.function.FailableSupplier;

/** Runs code with another {@link dev.prpf.base.files.SafeTensors#sliceBytes}. */
public final class Slices {
    private static final String PROPERTY = "prpf.slice-bytes";

    private Slices() {}

    /** Runs code while tensors are read and written in slices of a number of bytes; returns the result. */
    public static <T, E extends Exception> T of(long bytes, FailableSupplier<T, E> code) throws E {
        String before = System.getProperty(PROPERTY, "");
        System.setProperty(PROPERTY, Long.toString(bytes));
        try {
            return code.get();
        } finally {
            if (before.isEmpty()) {
                System.clearProperty(PROPERTY);
            } else {
                System.setProperty(PROPERTY, before);
            }
        }
    }
}
