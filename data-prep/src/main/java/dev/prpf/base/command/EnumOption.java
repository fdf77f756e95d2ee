package dev.prpf.base.command;

import dev.prpf.base.config.EnumName;
import java.util.Arrays;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts an option's value in kebab case to an enumeration's constant; picocli's own converter expects underscores. */
public abstract class EnumOption<E extends Enum<E>> implements ITypeConverter<E> {
    private final Class<E> type;

    protected EnumOption(Class<E> type) {
        this.type = type;
    }

    @Override
    public E convert(String value) {
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> EnumName.of(constant).equalsIgnoreCase(value))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("'" + value + "' is not one of "
                        + Arrays.stream(type.getEnumConstants())
                                .map(EnumName::of)
                                .collect(Collectors.joining(", "))));
    }
}
