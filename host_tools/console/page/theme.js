// Dark or light: the system's choice until a person chooses.

const STORED = "console.theme";
export const THEMES = ["system", "dark", "light"];

/** The choice in force. */
export const currentTheme = () => localStorage.getItem(STORED) ?? "system";

/** Choose and remember. */
export function chooseTheme(theme) {
  localStorage.setItem(STORED, theme);
  applyTheme();
}

export function applyTheme() {
  const theme = currentTheme();
  if (theme === "system") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
}
