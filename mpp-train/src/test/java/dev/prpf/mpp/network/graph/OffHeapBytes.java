package dev.prpf.mpp.network.graph;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.commons.lang3.reflect.FieldUtils;
import org.nd4j.linalg.api.buffer.DataBuffer;
import org.nd4j.linalg.api.memory.deallocation.DeallocatableReference;
import org.nd4j.linalg.factory.Nd4j;

/** Counts ND4J's off-heap allocations by replacing its deallocator's map, which every buffer enters, with one that counts. */
final class OffHeapBytes {
    private OffHeapBytes() {}

    static long during(Runnable work) throws IllegalAccessException {
        Object service = Nd4j.getDeallocatorService();
        Object before = FieldUtils.readField(service, "referenceMap", true);
        AtomicLong bytes = new AtomicLong();
        FieldUtils.writeField(service, "referenceMap", new Counting(bytes), true);
        try {
            work.run();
        } finally {
            Counting counting = (Counting) FieldUtils.readField(service, "referenceMap", true);
            FieldUtils.writeField(service, "referenceMap", before, true);
            @SuppressWarnings("unchecked")
            ConcurrentHashMap<String, DeallocatableReference> whole =
                    (ConcurrentHashMap<String, DeallocatableReference>) before;
            whole.putAll(counting); // freed as usual
        }
        return bytes.get();
    }

    private static final class Counting extends ConcurrentHashMap<String, DeallocatableReference> {
        private static final long serialVersionUID = 1L;

        private final transient AtomicLong bytes;

        Counting(AtomicLong bytes) {
            this.bytes = bytes;
        }

        @Override
        public DeallocatableReference put(String id, DeallocatableReference reference) {
            if (reference.get() instanceof DataBuffer buffer && buffer.originalDataBuffer() == null) { // not a view
                bytes.addAndGet(buffer.length() * buffer.getElementSize());
            }
            return super.put(id, reference);
        }
    }
}
