import eslint from '@eslint/js'
import comments from '@eslint-community/eslint-plugin-eslint-comments/configs'
import { defineConfig, globalIgnores } from 'eslint/config'
import { tsImport } from 'tsx/esm/api'
import tseslint from 'typescript-eslint'

// The plugin as its sources are: lint needs no build.
const { default: carillon } = await tsImport('./src/lint/plugin.ts', import.meta.url)

const specs = ['**/*.spec.ts', 'test/**']
const inner = '{errors,encoding,time,identity,ledger,log,vault,flow,session,notary,finality,agenda,operator,app,model}'

const fromOutside = 'Clock, randomness, timers and the host enter the inner rings as inputs, or replay would differ.'
const hostGlobals = [
  ...['setTimeout', 'setInterval', 'setImmediate', 'performance', 'process', 'crypto'],
  ...['fetch', 'globalThis', 'global'],
]

export default defineConfig(
  // bench/peers stands on packages that only its own command installs; `npm run check` there lints it by these rules.
  globalIgnores(['dist/', 'dist-next/', 'dist-old/', 'coverage/', '.cache/', 'bench/peers/', 'test/mutants/.run/']),
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },

  eslint.configs.recommended,
  comments.recommended,
  {
    rules: {
      '@eslint-community/eslint-comments/require-description': ['error', { ignore: ['eslint-enable'] }],
      '@eslint-community/eslint-comments/no-unused-disable': 'off', // reportUnusedDisableDirectives does it
      'no-restricted-exports': ['error', { restrictDefaultExports: { direct: true, named: true, defaultFrom: true } }],
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'] }],
      eqeqeq: 'error',
    },
  },

  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: true },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/consistent-type-exports': ['error', { fixMixedExportsWithInlineTypeSpecifier: true }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],

      // A number or a boolean in a message has only one reading; an object has none.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      // `() => stop()` reads well and loses nothing.
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidReturningFunctions: true },
      ],
      // `while (true)` is the honest form of a loop that ends by return.
      '@typescript-eslint/no-unnecessary-condition': [
        'error',
        { allowConstantLoopConditions: 'only-allowed-literals' },
      ],
      // Types from codecs are aliases, and an alias, unlike an interface, fits an index signature.
      '@typescript-eslint/consistent-type-definitions': 'off',
    },
  },

  {
    files: ['src/**/*.ts'],
    ignores: ['src/cli/**', ...specs],
    rules: { 'no-console': 'error' },
  },

  {
    files: [`src/${inner}/**/*.ts`, 'src/limits.ts'],
    ignores: ['src/time/SystemClock.ts', 'src/time/zoneDataVersion.ts', ...specs],
    rules: {
      'no-restricted-globals': ['error', ...hostGlobals.map((name) => ({ name, message: fromOutside }))],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: fromOutside },
        { object: 'Math', property: 'random', message: fromOutside },
        { object: 'DateTime', property: 'now', message: fromOutside },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: "NewExpression[callee.name='Date'][arguments.length=0]", message: fromOutside },
        { selector: "CallExpression[callee.name='Date']", message: fromOutside },
        {
          selector:
            "CallExpression[callee.object.name='DateTime'][callee.property.name=/^(local|utc)$/][arguments.length=0]",
          message: fromOutside,
        },
      ],
    },
  },

  {
    files: specs,
    rules: {
      // chai's `expect(x).to.be.true` is an expression, and its methods are passed around unbound.
      '@typescript-eslint/no-unused-expressions': 'off',
      '@typescript-eslint/unbound-method': 'off',
      // A spec may say `!` where a missing value should fail it, and define flows and callbacks that do nothing.
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      'require-yield': 'off',
      '@typescript-eslint/require-await': 'off',
    },
  },

  // What is written as an app's developer would.
  { files: ['{samples,bench}/**/*.ts'], extends: [carillon.configs.recommended] },

  {
    // These are loaded by tools that look for a default export.
    files: [
      ...['*.config.js', 'src/dashboard/vite.config.ts', '.dependency-cruiser.js', 'scripts/QuietReporter.ts'],
      'src/lint/plugin.ts',
    ],
    rules: { 'no-restricted-exports': 'off' },
  },
)
