package dev.prpf.par.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.BooleanNode;
import com.fasterxml.jackson.databind.node.IntNode;
import com.fasterxml.jackson.databind.node.NullNode;
import com.fasterxml.jackson.databind.node.TextNode;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.schema.Schema.Regex;
import dev.prpf.par.schema.Schema.SchemaDocument;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaReaderTest {
    private static final Schema.Text ANY_TEXT = new Schema.Text(0, Schema.UNBOUNDED, null);

    static JsonNode json(String text) {
        try {
            return new ObjectMapper().readTree(text.replace('\'', '"'));
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Schema read(String schema) {
        return SchemaReader.read(json(schema)).root();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "7|the schema: is 7, must be a schema, a JSON object",
                "{'multipleOf':1}|the schema: the keyword \"multipleOf\" is not supported; supported are type, enum,",
                "{'type':'object','properties':{'a/b':{'type':'integer','multipleOf':2}}}|the schema at /properties/a~1b: the keyword \"multipleOf\" is not supported",
                "{'type':'array','uniqueItems':1}|uniqueItems is 1, must be true or false",
                "{'type':'array','uniqueItems':true,'prefixItems':[{}]}|uniqueItems is given with prefixItems; it is supported only with items",
                "{'patternProperties':{}}|the keyword \"patternProperties\" is not supported",
                "{'if':{}}|the keyword \"if\" is not supported",
                "{'not':{}}|the keyword \"not\" is not supported",
                "{'$dynamicRef':'#'}|the keyword \"$dynamicRef\" is not supported",
                "{'type':'number','exclusiveMaximum':true}|exclusiveMaximum is true, must be a number",
                "{'type':'number','minimum':1e-7,'maximum':0.12345678}|its bounds have more than 6 decimal places",
                "{'contains':{}}|the keyword \"contains\" is not supported",
                "{'minProperties':1}|the keyword \"minProperties\" is not supported",
                "{'propertyNames':{}}|the keyword \"propertyNames\" is not supported",
                "{'unevaluatedProperties':false}|the keyword \"unevaluatedProperties\" is not supported",
                "{'dependentRequired':{}}|the keyword \"dependentRequired\" is not supported",
                "{'type':'text'}|the schema: type is \"text\", must be of [string, integer, number, boolean, null, array, object]",
                "{'type':[]}|type is [], must name at least one of [string,",
                "{'type':'string','minLength':-1}|minLength is -1, must be a whole number, at least 0",
                "{'type':'string','maxLength':1.5}|maxLength is 1.5, must be a whole number, at least 0",
                "{'type':'string','minLength':3,'maxLength':2}|minLength is 3, must not be more than maxLength = 2",
                "{'type':'string','pattern':'a','format':'date'}|pattern and format are both given; only one of them is supported",
                "{'type':'string','pattern':'^(a?b?c?d?)*(e?f?g?){9}$','minLength':4000,'maxLength':9000}|pattern with minLength or maxLength has more than 1024 nested characters and parts",
                "{'type':'string','pattern':7}|pattern is 7, must be text",
                "{'enum':[]}|enum is [], must be an array of values",
                "{'enum':['a'],'maxLength':3}|enum and const are given with \"maxLength\"; they are supported only with type",
                "{'anyOf':[]}|anyOf is [], must be an array of schemas",
                "{'anyOf':[{},{'not':{}}]}|the schema at /anyOf/1: the keyword \"not\" is not supported",
                "{'allOf':[{},{'not':{}}]}|the keyword \"not\" is not supported",
                "{'allOf':[{},7]}|has 7, must be a schema, a JSON object",
                "{'allOf':[{'pattern':'a'},{'pattern':'b'}]}|allOf joins pattern \"a\" and \"b\"; only one pattern is supported",
                "{'allOf':[{'prefixItems':[{}]},{'items':{}}]}|allOf joins prefixItems and another prefixItems or items; only one is supported",
                "{'$defs':{'a':{'allOf':[{'$ref':'#/$defs/a'},{'type':'null'}]}},'$ref':'#/$defs/a'}|allOf and $ref nest deeper than 64",
                "{'allOf':[{'minLength':'x'},{'minLength':2}]}|minLength is \"x\", must be a number",
                "{'$ref':'other.json'}|$ref is \"other.json\", must be a place in this schema, such as #/$defs/NAME",
                "{'$ref':'#/$defs/a'}|$ref is \"#/$defs/a\", which does not exist",
                "{'$ref':'#/%zz'}|which has an invalid % escape",
                "{'$ref':7}|$ref is 7, must be a place",
                "{'$defs':{'a':7},'$ref':'#/$defs/a'}|the schema at /$defs/a: is 7, must be a schema",
                "{'type':'array','items':[{}]}|the schema at /items: is [{}], must be a schema, a JSON object",
                "{'type':'array','prefixItems':[]}|prefixItems is [], must be an array of schemas",
                "{'type':'array','minItems':2,'maxItems':1}|minItems is 2, must not be more than maxItems = 1",
                "{'type':'object','properties':[]}|properties is [], must be an object of schemas",
                "{'type':'object','required':'a'}|required is \"a\", must be an array of names",
                "{'type':'object','required':['a','a']}|required is [\"a\",\"a\"], must be names without duplicates",
                "{'nullable':1}|nullable is 1, must be true or false",
                "{'oneOf':[{'type':'string'},{'type':['integer','string']}]}|the schema: oneOf/0 and oneOf/1 may accept the same value; they must differ in type",
                "{'oneOf':[{'type':'integer'},{'type':'number'}]}|may accept the same value",
                "{'oneOf':[{'const':1},{'const':1.0}]}|may accept the same value",
                "{'oneOf':[{'minimum':0.5,'maximum':10},{'type':'null'}]}|name the type of each branch, or use anyOf",
                "{'$defs':{'a':{'items':{}}},'oneOf':[{'type':'string'},{'$ref':'#/$defs/a'}]}|name the type of each branch",
                "{'oneOf':[{'properties':{'a':{'const':1}}},{'properties':{'a':{'const':2}}}]}|may accept the same value"
            })
    void whatIsNotTakenIsNamedWithItsPlace(String schema, String message) {
        assertThatThrownBy(() -> read(schema))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining(message);
    }

    @Test
    void tooLongOrTooDeepSchemaIsRejected() {
        String longOne = "{'description':'" + "x".repeat(SchemaReader.LONGEST) + "'}";
        assertThatThrownBy(() -> read(longOne)).hasMessageContaining("characters, at most 65536 are supported");
        String deep = "{'type':'array','items':".repeat(100) + "{}" + "}".repeat(100);
        assertThatThrownBy(() -> read(deep)).hasMessageContaining("nests deeper than 64");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'oneOf':[{'type':'string'},{'type':'integer'},{'type':'null'}]}",
                "{'oneOf':[{'enum':['a','b']},{'enum':['c',1]}]}",
                "{'oneOf':[{'properties':{'k':{'const':'a'}},'required':['k']},{'properties':{'k':{'enum':['b']}},'required':['k']}]}",
                "{'$defs':{'s':{'type':'string'}},'oneOf':[{'$ref':'#/$defs/s'},{'type':'boolean'}]}",
                "{'oneOf':[{'anyOf':[{'type':'string'},{'type':'null'}]},{'type':'array'}]}"
            })
    void branchesThatDifferAreTakenAsAnyOf(String schema) {
        assertThat(read(schema)).isInstanceOf(Schema.Union.class);
    }

    @Test
    void keywordsBecomeRules() {
        assertThat(read("true")).isEqualTo(new Schema.Anything());
        assertThat(read("false")).isEqualTo(new Schema.Literals(List.of()));
        assertThat(read("{'title':'x','default':1,'examples':[1],'$comment':'y'}"))
                .isEqualTo(new Schema.Anything());
        assertThat(read("{'type':'string','properties':{'a':{}}}"))
                .as("a keyword about objects says nothing of a string")
                .isEqualTo(ANY_TEXT);
        assertThat(read("{'minLength':2,'maxLength':1e12}")).isEqualTo(new Schema.Text(2, Schema.UNBOUNDED, null));
        assertThat(read("{'type':['integer','number','null']}"))
                .isEqualTo(new Schema.Union(
                        List.of(new Schema.Numbers(false), new Schema.Literals(List.of(NullNode.instance)))));
        assertThat(read("{'type':'boolean','nullable':true}"))
                .isEqualTo(new Schema.Union(List.of(
                        new Schema.Literals(List.of(BooleanNode.TRUE, BooleanNode.FALSE)),
                        new Schema.Literals(List.of(NullNode.instance)))));
        assertThat(read("{'type':'integer','nullable':true,'enum':[1]}"))
                .as("an enum must list null too")
                .isEqualTo(new Schema.Literals(List.of(IntNode.valueOf(1))));
        assertThat(read("{'type':'integer','nullable':true,'enum':[1,null]}"))
                .isEqualTo(new Schema.Union(List.of(
                        new Schema.Literals(List.of(IntNode.valueOf(1))),
                        new Schema.Literals(List.of(NullNode.instance)))));
        assertThat(read("{'enum':['a',1,null],'type':['string','integer']}"))
                .isEqualTo(new Schema.Literals(List.of(TextNode.valueOf("a"), IntNode.valueOf(1))));
        assertThat(read("{'allOf':[{'type':'string'}],'description':'x'}")).isEqualTo(ANY_TEXT);
    }

    /** Pydantic and OpenAPI write such keys; by the standard unknown keys are annotations. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'type':'string','x-own':1}",
                "{'type':'string','format':'uri'}",
                "{'type':'string','format':'hostname'}",
                "{'type':'string','contentEncoding':'base64','contentMediaType':'image/png'}",
                "{'type':'string','discriminator':{'propertyName':'kind'}}",
                "{'type':'string','$vocabulary':{},'$anchor':'a','externalDocs':{},'xml':{},'example':'a'}"
            })
    void annotationsRestrictNothing(String schema) {
        assertThat(read(schema)).isEqualTo(ANY_TEXT);
    }

    @Test
    void annotationsMayAccompanyACombination() {
        assertThat(read("{'oneOf':[{'type':'string'},{'type':'integer'}],'discriminator':{'propertyName':'kind'}}"))
                .isInstanceOf(Schema.Union.class);
        assertThat(read("{'type':'string','format':'uri','minLength':1,'maxLength':2083}"))
                .isEqualTo(new Schema.Text(1, 2083, null));
    }

    @Test
    void objectsAndArraysKeepOrderAndBounds() {
        assertThat(
                        read(
                                "{'properties':{'b':{'type':'string'},'a':false},'required':['c','a'],'additionalProperties':false}"))
                .isEqualTo(new Schema.Properties(
                        List.of(
                                new Schema.Property("b", ANY_TEXT, false),
                                new Schema.Property("a", new Schema.Literals(List.of()), true),
                                new Schema.Property("c", new Schema.Literals(List.of()), true)),
                        null));
        assertThat(read("{'type':'object','additionalProperties':{'type':'string'}}"))
                .isEqualTo(new Schema.Properties(List.of(), ANY_TEXT));
        assertThat(read("{'prefixItems':[true],'items':false,'minItems':1}"))
                .isEqualTo(new Schema.Items(List.of(new Schema.Anything()), null, 1, Schema.UNBOUNDED, false));
    }

    @Test
    void referencesAreReadOnceAndCyclesAreDetected() {
        SchemaDocument document = SchemaReader.read(json("{'$defs':{'a':{'type':'array','items':{'$ref':'#/$defs/b'}},"
                + "'b':{'anyOf':[{'$ref':'#/$defs/a'},{'$ref':'#/$defs/c d'}]},'c d':{'type':'string'}},"
                + "'properties':{'x':{'$ref':'#/$defs/a'},'y':{'$ref':'#/$defs/c%20d'}}}"));
        assertThat(document.targets()).containsOnlyKeys("/$defs/a", "/$defs/b", "/$defs/c d");
        assertThat(document.recursive()).containsExactlyInAnyOrder("/$defs/a", "/$defs/b");
        assertThat(document.target(new Schema.Reference("/$defs/c d"))).isEqualTo(ANY_TEXT);
        assertThat(SchemaReader.read(json("{'properties':{'next':{'$ref':'#'}}}"))
                        .recursive())
                .containsExactly("");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '~',
            quoteCharacter = '`',
            value = {
                "(?=a)b~a look-around or a named group at character 3",
                "(?<n>a)~a look-around or a named group",
                "(a|b~an unclosed group",
                "a)~\")\" at character 2",
                "a^b~\"^\" at character 2",
                "(a$)~\"$\" at character 3",
                "a**~\"*\" after a count",
                "*a~\"*\" with nothing before it at character 1",
                "a{2,1}~an invalid repetition count",
                "a{,1}~an invalid repetition count",
                "a{99999999999}~an invalid repetition count",
                "[a~an unclosed class",
                "[b-a]~an invalid range",
                "[a-\\\\d]~an invalid range",
                "\\\\1~the escape \\1",
                "\\\\bx~the escape \\b",
                "\\\\p{L}~the escape \\p",
                "\\\\x1~an invalid escape",
                "\\\\ud800~half a surrogate pair",
                "a\\\\~a backslash at its end"
            })
    void patternsBeyondTheSubsetAreRejectedWithTheIndex(String pattern, String message) {
        assertThatThrownBy(() -> read("{'type':'string','pattern':'" + pattern + "'}"))
                .isInstanceOf(InvalidDataException.class)
                .hasMessageContaining("the schema")
                .hasMessageContaining(message);
    }

    @Test
    void unanchoredPatternsAreReadWithOpenEnds() {
        Regex a = new Regex.Sequence(List.of(new Regex.One(CodePoints.of('a'))));
        assertThat(RegexReader.read("p", "a"))
                .isEqualTo(new Regex.Sequence(List.of(Regex.ANYTHING, a, Regex.ANYTHING)));
        assertThat(RegexReader.read("p", "^a$")).isEqualTo(new Regex.Sequence(List.of(a)));
        assertThat(RegexReader.read("p", "^a|a$"))
                .isEqualTo(new Regex.Choice(List.of(
                        new Regex.Sequence(List.of(a, Regex.ANYTHING)),
                        new Regex.Sequence(List.of(Regex.ANYTHING, a)))));
        assertThat(RegexReader.read("p", "^(?:a){2,3}?$"))
                .isEqualTo(new Regex.Sequence(List.of(new Regex.Sequence(List.of(new Regex.Times(a, 2, 3))))));
        assertThatThrownBy(() -> RegexReader.read("p", "a".repeat(513)))
                .hasMessage("p: the pattern has 513 characters, at most 512 are supported");
    }

    @Test
    void characterClassesHaveTheirMembers() {
        CodePoints set = ((Regex.One) ((Regex.Sequence) ((Regex.Sequence) RegexReader.read("p", "^[^a-c\\d\\]-]$"))
                                .parts()
                                .get(0))
                        .parts()
                        .get(0))
                .of();
        assertThat(List.of('a', 'b', 'c', '5', ']', '-')).noneMatch(set::contains);
        assertThat(List.of('d', ' ', '[', '的')).allMatch(set::contains);
        assertThat(set.contains(0xD800)).as("no surrogate").isFalse();
        assertThat(set.contains(0x1F600)).isTrue();
        assertThat(CodePoints.ALL.size()).isEqualTo(0x110000 - 0x800);
        assertThat(CodePoints.ALL.without('a', 'b').size()).isEqualTo(0x110000 - 0x802);
    }
}
