/** The version of this package. A log names it with every start of a node; a spec holds it to package.json. */
export const carillonVersion = '0.1.0'
