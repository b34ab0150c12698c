// Doc comments begin with a noun or a verb: an ESLint rule.

/** First words that turn a doc comment into a clause. */
const CLAUSE = /^\s*(What|Whatever|Whoever|Who|Whose|Whether|Which|Why|Of|How|Where|As|Nobody|Somebody|Anybody)\b/;

const docComments = {
  meta: {
    type: 'suggestion',
    schema: [],
    messages: { clause: 'Begin with a noun or a verb ("Returns …", "True if …"), not with "{{word}}".' },
  },
  create: (context) => ({
    Program() {
      for (const comment of context.sourceCode.getAllComments()) {
        if (comment.type !== 'Block' || !comment.value.startsWith('*')) continue;
        const word = CLAUSE.exec(comment.value.replace(/^[*\s]+/, ''))?.[1];
        if (word !== undefined) context.report({ loc: comment.loc, messageId: 'clause', data: { word } });
      }
    },
  }),
};

export const comments = { rules: { 'doc-comments': docComments } };
