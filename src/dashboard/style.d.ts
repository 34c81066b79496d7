/** Vite turns an imported sheet into a file of its own. */
declare module '*.css'
