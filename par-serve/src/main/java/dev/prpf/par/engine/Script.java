package dev.prpf.par.engine;

import ai.djl.engine.EngineException;
import ai.djl.pytorch.engine.PtNDArray;
import ai.djl.pytorch.engine.PtNDManager;
import ai.djl.pytorch.engine.PtSymbolBlock;
import ai.djl.pytorch.jni.IValue;
import ai.djl.pytorch.jni.JniUtils;
import ai.djl.pytorch.jni.ScriptCall;
import dev.prpf.base.files.Resource;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.apache.commons.lang3.StringUtils;

/**
 * A TorchScript module compiled from text in a resource file, and calls of its methods. Arguments may be arrays, arrays of arrays, {@code Long},
 * {@code Double}, {@code Boolean}, {@code String}, {@code long[]} or an {@link IValue} that the caller keeps.
 */
public final class Script {
    /** Methods of one class, then the types they use. */
    private static final String[] DECODER = StringUtils.split(
            """
            matrices.torchscript attention.torchscript delta_net.torchscript layers.torchscript weights.torchscript
            generation.torchscript training.torchscript vision.torchscript types.torchscript""");

    private final PtSymbolBlock module;

    private Script(PtSymbolBlock module) {
        this.module = module;
    }

    /** Returns the one copy of the decoder's texts, loaded at first use. */
    public static Script decoder() {
        return OfDecoders.SCRIPT;
    }

    private static final class OfDecoders {
        static final Script SCRIPT = load(Script.class, DECODER);
    }

    /** Loads and joins the texts of resources in a class's package; lives as long as the process. */
    public static Script load(Class<?> beside, String... resources) {
        PtNDManager manager = (PtNDManager) TorchRuntime.root();
        try {
            StringBuilder text = new StringBuilder();
            for (String resource : resources) {
                text.append(Resource.text(beside, resource)).append('\n');
            }
            InputStream archive = new ByteArrayInputStream(ScriptArchive.of(text.toString()));
            return new Script(JniUtils.loadModule(manager, archive, false, false));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Calls a method that returns one tensor, under inference mode. */
    public PtNDArray tensor(PtNDManager owner, String method, Object... arguments) {
        try (IValue result = call(false, method, arguments)) {
            return result.toTensor(owner);
        }
    }

    /** Calls a method that returns one tensor; gradients are recorded if the thread's gradient mode is on. */
    public PtNDArray differentiable(PtNDManager owner, String method, Object... arguments) {
        try (IValue result = call(true, method, arguments)) {
            return result.toTensor(owner);
        }
    }

    /** Calls a method that returns a list of tensors; gradients are recorded if the thread's gradient mode is on. */
    public PtNDArray[] differentiables(PtNDManager owner, String method, Object... arguments) {
        try (IValue result = call(true, method, arguments)) {
            return result.toTensorArray(owner);
        }
    }

    /** Calls a method that returns a list of tensors, under inference mode. */
    public PtNDArray[] tensors(PtNDManager owner, String method, Object... arguments) {
        try (IValue result = call(false, method, arguments)) {
            return result.toTensorArray(owner);
        }
    }

    /**
     * Calls a method and keeps the result on the native side; the caller closes the result. Gradients are recorded if the thread's gradient mode is
     * on, and later gradients may pass through the result's tensors.
     */
    public IValue differentiableValue(String method, Object... arguments) {
        return call(true, method, arguments);
    }

    /** Calls a method under inference mode and keeps its result on the native side; the caller closes it. */
    public IValue value(String method, Object... arguments) {
        return call(false, method, arguments);
    }

    private IValue call(boolean autograd, String method, Object... arguments) {
        TorchRuntime.root();
        List<IValue> own = new ArrayList<>();
        IValue[] values = new IValue[arguments.length];
        try {
            for (int i = 0; i < values.length; i++) {
                if (arguments[i] instanceof IValue kept) {
                    values[i] = kept;
                } else {
                    values[i] = wrap(arguments[i]);
                    own.add(values[i]);
                }
            }
            return ScriptCall.run(module, method, autograd, values);
        } catch (EngineException e) {
            throw new IllegalStateException(
                    "method " + method + " of the script failed with " + described(arguments), e);
        } finally {
            own.forEach(IValue::close);
        }
    }

    /** Describes the arguments by shapes and numbers. */
    private static String described(Object[] arguments) {
        return Arrays.stream(arguments)
                .map(argument -> argument instanceof PtNDArray array
                        ? array.getShape().toString()
                        : argument instanceof PtNDArray[] arrays
                                ? Arrays.stream(arrays)
                                        .map(PtNDArray::getShape)
                                        .toList()
                                        .toString()
                                : argument instanceof long[] numbers
                                        ? Arrays.toString(numbers)
                                        : argument instanceof IValue ? "…" : argument.toString())
                .collect(Collectors.joining(", ", "(", ")"));
    }

    private static IValue wrap(Object argument) {
        if (argument instanceof PtNDArray array) {
            return IValue.from(array);
        } else if (argument instanceof PtNDArray[] arrays) {
            return IValue.listFrom(arrays);
        } else if (argument instanceof Long number) {
            return IValue.from(number.longValue());
        } else if (argument instanceof Double number) {
            return IValue.from(number.doubleValue());
        } else if (argument instanceof Boolean flag) {
            return IValue.from(flag.booleanValue());
        } else if (argument instanceof String text) {
            return IValue.from(text);
        } else if (argument instanceof long[] numbers) {
            return IValue.listFrom(numbers);
        }
        throw new IllegalArgumentException("no TorchScript value is made from a " + argument.getClass());
    }

    /**
     * Writes the archive that {@code torch.jit.load} reads, for a module without parameters. It is an uncompressed zip of the pickled (empty) state,
     * the code and the format's version. Version 10 is the newest that every libtorch from 2.0 on reads without operator upgraders.
     */
    private static final class ScriptArchive {
        private static final String HEAD =
                "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  training : bool\n";

        /** A pickled instance of {@code __torch__.M} with the state {@code {"training": False}}. */
        private static final String STATE = "\u0080\u0002c__torch__\nM\n)\u0081}(X\u0008\0\0\0training\u0089ub.";

        private static final String NO_CONSTANTS = "\u0080\u0002).";
        private static final String VERSION = "10\n";

        private ScriptArchive() {}

        /** Returns the archive of a class with these methods, each indented by two blanks. */
        static byte[] of(String methods) {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (ZipOutputStream zip = new ZipOutputStream(bytes)) {
                put(zip, "data.pkl", STATE.getBytes(StandardCharsets.ISO_8859_1));
                put(zip, "code/__torch__.py", (HEAD + methods).getBytes(StandardCharsets.UTF_8));
                put(zip, "constants.pkl", NO_CONSTANTS.getBytes(StandardCharsets.ISO_8859_1));
                put(zip, "version", VERSION.getBytes(StandardCharsets.US_ASCII));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
            return bytes.toByteArray();
        }

        private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
            ZipEntry entry = new ZipEntry("m/" + name);
            CRC32 checksum = new CRC32();
            checksum.update(content);
            entry.setMethod(ZipEntry.STORED);
            entry.setSize(content.length);
            entry.setCrc(checksum.getValue());
            zip.putNextEntry(entry);
            zip.write(content);
            zip.closeEntry();
        }
    }
}
