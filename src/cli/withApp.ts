/**
 * Does something with an app, in the copy of Carillon that the app itself imports: an error must be the same class to
 * both.
 */
import { appFile, commandOfApp, loadApp, type LoadedApp } from './loadApp.js'

/** Loads an app's module and acts on it; or lets the app's own command do everything from here on. */
export const withApp = async (
  module: string,
  act: (loaded: LoadedApp, file: string) => Promise<void>,
): Promise<void> => {
  const file = appFile(module)
  const command = commandOfApp(file)
  if (command !== undefined) {
    // That copy reads the same command line.
    await import(command)
    return
  }
  await act(await loadApp(file), file)
  // The app may have timers or connections of its own that would keep the process.
  process.exit()
}
