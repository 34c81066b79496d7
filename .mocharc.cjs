module.exports = {
  extension: ['ts'],
  'node-option': [
    // `carillon` and `carillon/testing` mean the sources, so no build is needed to run a spec.
    'conditions=carillon-source',
    'import=tsx',
    // Otherwise mocha requires specs, except those that await at top level, and modules would be loaded twice.
    'no-experimental-require-module',
  ],
  // Generous, because slowness is no defect here: it only has to catch what would never end.
  timeout: 300_000,
}
