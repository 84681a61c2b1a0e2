package cli

import "github.com/spf13/cobra"

func (a *app) benchProfileCommand() *cobra.Command { return &cobra.Command{Use: "profile"} }
