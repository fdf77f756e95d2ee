package dev.prpf.base.error;

import java.util.regex.Pattern;

/** Work that would need more memory than there is. */
public final class InsufficientMemoryException extends PrpfException {
    private static final long serialVersionUID = 1L;

    private static final Pattern NO_MEMORY = Pattern.compile(
            "allocate memory|not enough memory|out of memory|bad_alloc|ALLOC_FAILED", Pattern.CASE_INSENSITIVE);

    public InsufficientMemoryException(String message) {
        super(message);
    }

    /** Tests whether a native library's message reports a lack of memory: of its allocator, C++, CUDA, cuBLAS or cuDNN. */
    public static boolean isMeantBy(String message) {
        return NO_MEMORY.matcher(message).find();
    }
}
