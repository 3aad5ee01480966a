//! What `help` prints.

pub(super) const TEXT: &str = r#"statements   NAME := expression;   expression;   print expression;   # comment to the end of the line
             codegen M;            loops in C, the body of a function, that run the domain of M in the order of its images
             codegen M using O;    with options of dims: { [i, j] -> unroll[x] : x >= 1 }, atomic[x], separate[x]
                                   separation_class[[x] -> [class]]; for all times or some: { [i, j] -> unroll[1] : i < 4 }
             codegen M given C;    for the parameters in C, as in [N] -> { : N >= 3 }
             codegen               and a schedule tree on lines below, as isl writes it, from `domain: ".."` on; its bands
                                   may have options: atomic[x] separate[x] unroll[x] isolate[[outer] -> [x]]
                                   [isolate[] -> unroll[x]] in the isolated part alone
             NAME := schedule D respecting V minimizing P;         (schedule ..) wherever a map may stand
             source "FILE";        NAME := read "FILE";        write "FILE" E;        assert E;
             help;                 help WORD;                  quit;
             statements behind one with an error run all the same, in a sourced file, too; not with polyrs calc --stop

operands     { S[i] : 0 <= i < 10 }     [N] -> { S[i] -> A[i + 1] : 0 <= i < N }     { S[i] -> i^2 + floor(i/2) }
             { rat: S[i] : 2i = 1 }, whose elements are rational
             2     True     "text"     (A, B), of which [0] is the first

binary       *  intersection            +  union           -  difference       %  gist
             .  left, then right        -> all pairs       cross cross_range  products
             << <<= >> >>=  lexicographic order
             before  as .               after  right, then left                ->* ->-  range in a set, outside of it
             =  ==  <=  <  >=  >        equality and inclusion                C @ S  values of a count one by one
unary        dom ran domain range deltas lexmin lexmax card sample coalesce params identity aff hull lattice
             wrap unwrap zip curry uncurry domain_map range_map deltas_map pow sum scan typeof
             poly vertices ub lb coefficients solutions lift
             draw S        draw 0 2 S    an SVG of elements or arrows in two dims
             scan S        its elements one by one, up to 10,000
             ub C          the largest value: exact of affine functions and of few arguments, else a bound, max(..)
flow         any A before B under S         last A before B under S     dependences of accesses under a schedule
             any A last B before C under S
behind       M(S)  image     M^-1  inverse     M^k  power     M^+  all paths     C(S)  value of a count, summed over S

examples     D := [N] -> { S[i, j] : 0 <= j <= i < N };
             card D;                        # [N] -> { 1/2 * N^2 + 1/2 * N : N > 0 }
             lexmax D;
             ({ [i] -> [i + 2] : i >= 0 })^+;
             codegen { S[i, j] -> [j, i] : 0 <= j <= i < 10 };
"#;

/// The lines that are about one word.
pub(super) fn of(word: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let has = |line: &&str| {
        line.split(|c| !is_word(c)).any(|w| w == word) || (!word.contains(is_word) && line.contains(word))
    };
    let found: Vec<&str> = TEXT.lines().filter(has).map(str::trim_end).collect();
    if found.is_empty() { format!("nothing is called '{word}': help; lists everything") } else { found.join("\n") }
}
