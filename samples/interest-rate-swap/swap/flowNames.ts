/**
 * The flows that a swap asks for. It names them and does not import them, so that contract and flows stay apart.
 */
export const flowNames = {
  fixing: 'swap/Fixing',
  payment: 'swap/Payment',
  paymentOverdue: 'swap/PaymentOverdue',
  maturity: 'swap/Maturity',
} as const
