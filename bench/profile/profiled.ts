/**
 * Runs work with the processor's profile taken by the inspector of this very process.
 */
import { Session } from 'node:inspector/promises'
import { readProfile, type CpuProfile } from './CpuProfile.js'

const intervalUs = 500

export const profiled = async (
  work: () => Promise<unknown>,
): Promise<{ readonly profile: CpuProfile; readonly text: string }> => {
  const session = new Session()
  session.connect()
  try {
    await session.post('Profiler.enable')
    await session.post('Profiler.setSamplingInterval', { interval: intervalUs })
    await session.post('Profiler.start')
    await work()
    const { profile } = await session.post('Profiler.stop')
    const text = JSON.stringify(profile)
    return { profile: readProfile(text), text }
  } finally {
    session.disconnect()
  }
}
