/**
 * What a call was refused with, as text; or that it was not.
 */
export const refusalOf = async (call: () => unknown): Promise<string> => {
  try {
    await call()
  } catch (error) {
    return error instanceof Error ? `${error.constructor.name}: ${error.message}` : String(error)
  }
  return 'not refused'
}
