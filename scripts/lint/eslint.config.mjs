import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';
import { comments } from './comments.mjs';
import { layers } from './layers.mjs';

/** A later block replaces the earlier list: the pure layers name both. */
const NO_STAR = {
  selector: 'ExportAllDeclaration',
  message: 'Name what is exported: a reader should find a thing in two steps.',
};
const NO_CLOCK = {
  selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
  message: 'The pure layers take the time as an argument.',
};

export default tseslint.config(
  { ignores: ['node_modules/**', 'dist/**', '.data/**', '.cache/**', 'coverage/**', 'src/app/routeTree.gen.ts'] },
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { projectService: false, ecmaFeatures: { jsx: true } } },
    plugins: { comments, layers, 'react-hooks': reactHooks },
    rules: {
      'layers/imports': 'error',
      'comments/doc-comments': 'error',
      'react-hooks/rules-of-hooks': 'error',
      'react-hooks/exhaustive-deps': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/ban-ts-comment': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      'no-empty': 'error',
      'no-restricted-syntax': ['error', NO_STAR],
      'max-lines': ['error', { max: 350, skipBlankLines: true, skipComments: true }],
      eqeqeq: 'error',
      'prefer-const': 'error',
      'no-var': 'error',
    },
  },
  {
    files: ['src/base/**', 'src/geo/**', 'src/domain/**', 'src/protocol/**', 'src/imaging/**'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-globals': [
        'error',
        ...['fetch', 'crypto', 'process', 'window', 'document', 'performance', 'setTimeout', 'setInterval'].map(
          (name) => ({ name, message: 'The pure layers take clock, randomness and I/O as arguments.' }),
        ),
      ],
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'The pure layers take randomness as an argument.' },
        { object: 'Date', property: 'now', message: 'The pure layers take the time as an argument.' },
      ],
      'no-restricted-syntax': ['error', NO_STAR, NO_CLOCK],
    },
  },
  {
    files: ['**/*.test.{ts,tsx}', 'tests/**'],
    rules: { '@typescript-eslint/no-non-null-assertion': 'off', 'comments/doc-comments': 'off', 'max-lines': 'off' },
  },
);
