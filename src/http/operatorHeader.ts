/**
 * The header in which a client of the control socket names the operator, percent-encoded, as the log is to remember him.
 */
export const operatorHeader = 'carillon-operator'
