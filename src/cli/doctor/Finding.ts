/**
 * What a check of `carillon doctor` found. Whatever is not good says what to do.
 */
import { CarillonError, messageOf } from '../../errors/CarillonError.js'
import { explainCommand } from '../errorPage.js'

export type Finding =
  | { readonly check: string; readonly state: 'good'; readonly text: string }
  | { readonly check: string; readonly state: 'notice' | 'bad'; readonly text: string; readonly todo: string }

export type Judge = {
  readonly good: (text: string) => Finding
  readonly notice: (text: string, todo: string) => Finding
  readonly bad: (text: string, todo: string) => Finding
}

export const judgeOf = (check: string): Judge => ({
  good: (text) => ({ check, state: 'good', text }),
  notice: (text, todo) => ({ check, state: 'notice', text, todo }),
  bad: (text, todo) => ({ check, state: 'bad', text, todo }),
})

/** Looks; what cannot even be looked at is bad. */
export const examine = async (
  check: string,
  look: (judge: Judge) => readonly Finding[] | Finding | Promise<readonly Finding[] | Finding>,
): Promise<readonly Finding[]> => {
  const judge = judgeOf(check)
  try {
    return [await look(judge)].flat()
  } catch (error) {
    return error instanceof CarillonError
      ? [judge.bad(`${error.code}: ${error.message}`, explainCommand(error.code))]
      : [judge.bad(messageOf(error), 'see that this user may read and write the folder of the store')]
  }
}
