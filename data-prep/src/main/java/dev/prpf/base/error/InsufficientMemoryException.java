package dev.prpf.base.error;

import java.util.regex.Pattern;

/** Thrown when an operation needs more memory than is available. */
public final class InsufficientMemoryException extends PrpfException {
    private static final long serialVersionUID = 1L;

    private static final Pattern NO_MEMORY = Pattern.compile(
            "allocate memory|not enough memory|out of memory|bad_alloc|ALLOC_FAILED", Pattern.CASE_INSENSITIVE);

    public InsufficientMemoryException(String message) {
        super(message);
    }

    /** Tests whether the message of a native library (C++, CUDA, cuBLAS, cuDNN) reports a lack of memory. */
    public static boolean isMeantBy(String message) {
        return NO_MEMORY.matcher(message).find();
    }
}
